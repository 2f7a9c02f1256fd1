import type { PlatformRules } from "#contract";
import { microsecondsOf, type Rules, toUtcMicroseconds } from "#domain";

/** Rules as they are kept: as in the API, with a confirmation always, and with times as `toUtcMicroseconds` writes them. */
export type StoredRules = PlatformRules & { readonly confirmation: "retailer" | "none" };

/** When a deal holds; in microseconds since 1970. */
export interface Period {
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

/** @param rules of a validated request */
export function toStoredRules(rules: PlatformRules): StoredRules {
  const { paid_after, paid_before, confirmation = "retailer" } = rules;
  return {
    ...rules,
    confirmation,
    ...(paid_after !== undefined && { paid_after: toUtcMicroseconds(paid_after) }),
    ...(paid_before !== undefined && { paid_before: toUtcMicroseconds(paid_before) }),
  };
}

/** As matching goes by them. */
export function toRules(stored: StoredRules, { startsAt, endsAt }: Period): Rules {
  const { paid_after, paid_before } = stored;
  return {
    merchantIds: stored.merchant_ids,
    statementDescriptor: stored.statement_descriptor ?? null,
    minAmount: stored.min_amount ?? null,
    currency: stored.currency ?? null,
    paidAfter: paid_after === undefined ? null : microsecondsOf(paid_after),
    paidBefore: paid_before === undefined ? null : microsecondsOf(paid_before),
    confirmation: stored.confirmation,
    startsAt,
    endsAt,
  };
}
