import { completeRow } from "#contract/codec";
import type { BatchEvent } from "#domain";
import { encodeId } from "#domain";
import { holdsCardNumber } from "#domain/formats";
import type { StoredDeadLetter } from "./stored-dead-letters.ts";

/**
 * A dead letter as one object for people and programs. The letter's own `sequence` is the one in its original
 * stream, and is called `from` here; `sequence` is the one that the other commands take.
 */
export function describeLetter({ sequence, at, letter }: StoredDeadLetter) {
  const { reason, error, hop, partition, sequence: from, row, outcome, settlement, transactionId } = letter;
  return {
    sequence,
    at,
    reason,
    error,
    from: { stream: hop, partition, sequence: from },
    row,
    // From another system: it may contain forbidden card data.
    outcome: withoutCardData(outcome),
    settlement,
    transactionId,
  };
}

/** The same with its body in the words of the API, and whether `redrive` can put it back. */
export function decodeLetter(stored: StoredDeadLetter) {
  const { row, outcome, settlement, transactionId, ...head } = describeLetter(stored);
  const body =
    row !== undefined
      ? { event: decodeRow(row) }
      : outcome !== undefined
        ? { outcome }
        : settlement !== undefined
          ? { settlement }
          : transactionId !== undefined
            ? { record: { transaction_id: transactionId } }
            : {};
  const can_be_redriven = row !== undefined || outcome !== undefined || settlement !== undefined;
  return { ...head, can_be_redriven, ...body };
}

/** The event in the form of `transaction/get`. Auth code and BIN are gone; identifiers are hashes of them. */
function decodeRow(kept: BatchEvent) {
  const row = completeRow(kept);
  return {
    organisation_id: encodeId("org", row.organisationId),
    transaction_id: encodeId("tx", row.id),
    external_id: row.externalId,
    member_id: row.memberId === null ? null : encodeId("m", row.memberId),
    network: row.network,
    merchant_id: row.merchantId,
    statement_descriptor: row.statementDescriptor === null ? null : maskText(row.statementDescriptor),
    amount: row.amount,
    currency: row.currency,
    authed_at: row.authedAt,
    cleared_at: row.clearedAt,
    reverted_at: row.revertedAt,
    identifiers: [row.identifier6, ...(row.identifier8 === null ? [] : [row.identifier8])],
  };
}

/** Fields that hold card data wherever they come from. */
const CARD_FIELD = /^(?:auth_?code|bin|pan|card_?number|cvv|cvc|expiry)$/i;
const HIDDEN = "(hidden)";
/** Deeper than any message of the contract. */
const DEEPEST = 20;

/** A copy without the texts that a dead letter must not show. */
export function withoutCardData(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return holdsCardNumber(String(value)) ? maskText(String(value)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return HIDDEN;
  if (Array.isArray(value)) return value.map((entry) => withoutCardData(entry, depth + 1));
  const entries = Object.entries(value).map(([name, entry]) => [
    maskText(name),
    CARD_FIELD.test(name) ? HIDDEN : withoutCardData(entry, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** Characters that control a terminal or change the direction of later text: JSON does not escape these. */
const UNSHOWN = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Masks all digits of a card number but the last four, and characters that move the cursor. */
function maskText(given: string): string {
  const text = given.replace(UNSHOWN, "\ufffd");
  if (!holdsCardNumber(text)) return text;
  let left = (text.match(/\p{Nd}/gu) ?? []).length - 4;
  return text.replace(/\p{Nd}/gu, (digit) => (left-- > 0 ? "*" : digit));
}
