import { hash } from "node:crypto";

export const NETWORKS = ["visa", "mastercard", "amex", "other"] as const;
export type Network = (typeof NETWORKS)[number];

/** The card data that identifiers are made of. It goes no further than this function. */
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
