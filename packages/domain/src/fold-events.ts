import {
  applyEvent,
  type Decision,
  type IgnoredField,
  type Rejection,
  type StoredTransaction,
  type Transaction,
} from "./lifecycle.ts";

/** An event of a batch, as the row that it would make: its state is the one that it asks for. */
export interface BatchEvent extends StoredTransaction {
  /** Its place in the batch. */
  readonly ord: number;
}

/** What became of one event. */
export type EventOutcome =
  | { readonly kind: "created" | "updated" | "unchanged"; readonly ignored: readonly IgnoredField[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** A transaction as it is behind the batch. */
export interface FoldedTransaction {
  /** Of the last event that changed it. */
  readonly ord: number;
  readonly transaction: StoredTransaction;
}

interface FoldedBatch {
  /** In the order of the events. */
  readonly outcomes: readonly EventOutcome[];
  /** Transactions that were not there, and those that were there and are changed. */
  readonly created: readonly FoldedTransaction[];
  readonly updated: readonly FoldedTransaction[];
}

export const UNKNOWN_MEMBER: EventOutcome = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "not_found" },
};

/** What makes two events one transaction. An organisation id has a fixed length, so no two keys read alike. */
export function keyOf({
  organisationId,
  externalId,
}: Pick<StoredTransaction, "organisationId" | "externalId">): string {
  return `${organisationId} ${externalId}`;
}

/**
 * How a batch folds into stored transactions: event by event, each upon what the one before it left (`applyEvent`).
 * @param events in their order, of members that exist: that they do not is the first thing that may be wrong
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
