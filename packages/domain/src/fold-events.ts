import { applyEvent, type IgnoredField, type Rejection, type StoredTransaction } from "./lifecycle.ts";

/**
 * An event of a batch, in the form of the row that it would create; `state` is the state that the event asks
 * for.
 */
export interface BatchEvent extends StoredTransaction {
  /** Its place in the batch. */
  readonly ord: number;
}

/** The result of one event. */
export type EventResult =
  | { readonly kind: "created" | "updated" | "unchanged"; readonly ignored: readonly IgnoredField[] }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

/** The state of a transaction after the batch. */
export interface FoldedTransaction {
  /** `ord` of the last event that changed it. */
  readonly ord: number;
  readonly transaction: StoredTransaction;
}

export interface FoldedBatch {
  /** One for each event, in the order of the events. */
  readonly outcomes: readonly EventResult[];
  /** New transactions. */
  readonly created: readonly FoldedTransaction[];
  /** Stored ones that changed. Those that became final are in the order of the events that made them so. */
  readonly updated: readonly FoldedTransaction[];
}

export const UNKNOWN_MEMBER: EventResult = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "not_found" },
};

export const MEMBER_NOT_RESTORED: EventResult = {
  kind: "rejected",
  rejection: { code: "not_found", reason: "member_not_restored" },
};

/** The key of an event's transaction. An organisation id has a fixed length, so no two transactions share a key. */
export function keyOf({
  organisationId,
  externalId,
}: Pick<StoredTransaction, "organisationId" | "externalId">): string {
  return `${organisationId} ${externalId}`;
}

/**
 * Folds a batch into stored transactions: event by event, each applied to the result of the one before (`applyEvent`).
 * @param events in their order
 * @param stored the stored transactions of their keys, by `keyOf`
 * @param forgottenBefore as for `applyEvent`
 * @param hasMember whether an event's member exists: without one the event begins no transaction
 */
export function foldEvents(
  events: readonly BatchEvent[],
  stored: ReadonlyMap<string, StoredTransaction>,
  forgottenBefore: number | null = null,
  hasMember: (event: BatchEvent) => boolean = () => true,
): FoldedBatch {
  const created = new Map<string, FoldedTransaction>();
  const updated = new Map<string, FoldedTransaction>();
  const outcomes = events.map((event): EventResult => {
    const key = keyOf(event);
    const isNew = !stored.has(key);
    const known = (isNew ? created : updated).get(key)?.transaction ?? stored.get(key);
    if (known === undefined && !hasMember(event)) return UNKNOWN_MEMBER;
    const decision = applyEvent(known, event, forgottenBefore);
    if (decision.outcome === "created" || decision.outcome === "updated") {
      const { id, organisationId, externalId } = known ?? event;
      const transaction = { ...decision.transaction, id, organisationId, externalId };
      const changed = isNew ? created : updated;
      // A map keeps the first place of a key, and an earlier event may have changed the transaction.
      if (known?.state === "authorized") changed.delete(key);
      changed.set(key, { ord: event.ord, transaction });
    }
    return decision.outcome === "rejected"
      ? { kind: "rejected", rejection: decision.rejection }
      : { kind: decision.outcome, ignored: decision.ignored };
  });
  return { outcomes, created: [...created.values()], updated: [...updated.values()] };
}
