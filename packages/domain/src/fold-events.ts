import {
  applyEvent,
  type Decision,
  type IgnoredField,
  type Rejection,
  type StoredTransaction,
  type Transaction,
} from "./lifecycle.ts";

/** An event of a batch, as the row that it would make; `state` is the state that it asks for. */
export interface BatchEvent extends StoredTransaction {
  /** Its place in the batch. */
  readonly ord: number;
}

/** What became of one event. */
export type EventOutcome =
  | { readonly kind: "created" | "updated" | "unchanged"; readonly ignored: readonly IgnoredField[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** A transaction as it is after the batch. */
export interface FoldedTransaction {
  /** `ord` of the last event that changed it. */
  readonly ord: number;
  readonly transaction: StoredTransaction;
}

export interface FoldedBatch {
  /** One for each event, in the order of the events. */
  readonly outcomes: readonly EventOutcome[];
  /** Transactions that were not there, and those that were there and are changed. */
  readonly created: readonly FoldedTransaction[];
  readonly updated: readonly FoldedTransaction[];
}

export const UNKNOWN_MEMBER: EventOutcome = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "not_found" },
};

/**
 * Names the transaction that an event belongs to. An organisation id has a fixed length, so two transactions
 * never have the same key.
 */
export function keyOf({
  organisationId,
  externalId,
}: Pick<StoredTransaction, "organisationId" | "externalId">): string {
  return `${organisationId} ${externalId}`;
}

/**
 * Folds a batch into stored transactions: event by event, each applied to what the one before it left
 * (`applyEvent`).
 * @param events in their order; their members must exist, because an unknown member is the first reason to
 * reject an event
 * @param stored what is stored of their keys, by `keyOf`
 */
export function foldEvents(
  events: readonly BatchEvent[],
  stored: ReadonlyMap<string, StoredTransaction>,
): FoldedBatch {
  const created = new Map<string, FoldedTransaction>();
  const updated = new Map<string, FoldedTransaction>();
  const outcomes = events.map((event): EventOutcome => {
    const key = keyOf(event);
    const isNew = !stored.has(key);
    const known = (isNew ? created : updated).get(key)?.transaction ?? stored.get(key);
    const decision = applyEvent(known, event);
    if (decision.outcome === "created" || decision.outcome === "updated") {
      const transaction = identified(decision.transaction, known ?? event);
      (isNew ? created : updated).set(key, { ord: event.ord, transaction });
    }
    return toOutcome(decision);
  });
  return { outcomes, created: [...created.values()], updated: [...updated.values()] };
}

function toOutcome(decision: Decision): EventOutcome {
  if (decision.outcome === "rejected") return { kind: "rejected", rejection: decision.rejection };
  return { kind: decision.outcome, ignored: decision.ignored };
}

function identified(
  transaction: Transaction,
  { id, organisationId, externalId }: StoredTransaction,
): StoredTransaction {
  return { ...transaction, id, organisationId, externalId };
}
