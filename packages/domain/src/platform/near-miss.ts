import { type Half, PAIRING_WINDOW_MICROSECONDS, pairByNearestTime } from "./pair-by-nearest-time.ts";

/**
 * In what alone a retailer's open payment differs from one of a purchase.
 *
 * - identifiers: it has none of the purchase's: another authorization code, network, card or merchant id.
 * - card: the six digits are the same, and the eight are not.
 * - paid_at: it was paid too long before or after.
 */
export type Difference = "identifiers" | "card" | "paid_at";

/**
 * undefined: it differs in more than one thing, or in nothing, so that it is about to be paired.
 * @param record without identifiers where they are not known
 */
export function differenceOf(record: Half, payment: Half): Difference | undefined {
  const isNear = Math.abs(payment.at - record.at) <= PAIRING_WINDOW_MICROSECONDS;
  if (!payment.identifiers.some((one) => record.identifiers.includes(one))) {
    return isNear ? "identifiers" : undefined;
  }
  const matches = pairByNearestTime([{ ...payment, at: record.at }], [record]).length > 0;
  if (matches) return isNear ? undefined : "paid_at";
  return isNear ? "card" : undefined;
}
