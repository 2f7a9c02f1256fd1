import { hash } from "node:crypto";

export const NETWORKS = ["visa", "mastercard", "amex", "other"] as const;
export type Network = (typeof NETWORKS)[number];

/** The card data that is hashed into identifiers. It goes no further than this function. */
export interface CardData {
  readonly authCode: string;
  readonly network: Network;
  /** 6 to 8 digits. */
  readonly bin: string;
  readonly merchantId: string;
}

/**
 * Transaction identifiers (contract, section 7): lower-case hex SHA-256 over the normalised card data, one
 * for six BIN digits and, where `bin` has eight, one for eight. Retailer-side software computes the same. A
 * seven-digit BIN yields the first only.
 */
export function transactionIdentifiers(card: CardData): { six: string; eight: string | null } {
  const authCode = normalise(card.authCode);
  const merchantId = normalise(card.merchantId);
  const before = `stampede:txid:v1\n${authCode}\n${card.network}\n`;
  const six = hash("sha256", `${before}${card.bin.slice(0, 6)}\n${merchantId}`);
  const eight =
    card.bin.length >= 8 ? hash("sha256", `${before}${card.bin.slice(0, 8)}\n${merchantId}`) : null;
  return { six, eight };
}

function normalise(text: string): string {
  return text.trim().toUpperCase();
}

/**
 * The id of a transaction: a UUIDv7 whose time is that of the authorization and whose other 74 bits are a
 * keyed SHA-256 of organisation and `external_id`. So ids sort by time, as the listing needs, and an event
 * that is sent again to a restored database gets the same id: the platform's outcomes for that id, and the
 * stamps, still belong to it.
 *
 * The key makes the ids of installations that share a platform differ.
 * @param key the installation's, any text
 * @param organisationId UUID
 * @param authedAtMs milliseconds since 1970
 */
export function transactionId(
  key: string,
  organisationId: string,
  externalId: string,
  authedAtMs: number,
): string {
  const digest = hash("sha256", `stampede:transaction:v1\n${key}\n${organisationId}\n${externalId}`);
  const time = Math.floor(authedAtMs).toString(16).padStart(12, "0");
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 3) | 8).toString(16);
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-` +
    `${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`
  );
}
