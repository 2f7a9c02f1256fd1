import type { BatchEvent } from "#domain";
import { isolateRefused, type Transaction } from "#postgres";
import { type AppliedBatch, applyEvents, everyOrd } from "./apply-events.ts";
import { type EventBatch, eventAt } from "./event-batch.ts";

/** An event that the database refuses for what it says, and will refuse again. */
export interface PoisonEvent {
  readonly event: BatchEvent;
  /** SQLSTATE. */
  readonly error: string;
}

export interface IsolatedBatch extends AppliedBatch {
  /** Their places in `outcomes` are empty. */
  readonly poison: readonly PoisonEvent[];
}

/** `applyEvents`, except that an event which the database refuses does not hold up the others; attempts are savepoints. */
export async function applyIsolated(sql: Transaction, batch: EventBatch): Promise<IsolatedBatch> {
  const ords = everyOrd(batch);
  const apply = (some: readonly number[]) => sql.savepoint((nested) => applyEvents(nested, batch, some));
  const { results, refused } = await isolateRefused(ords, apply);
  return {
    outcomes: ords.map((ord) => results.find(({ outcomes }) => outcomes[ord] !== undefined)?.outcomes[ord]),
    created: results.flatMap(({ created }) => created),
    changed: results.flatMap(({ changed }) => changed),
    links: new Map(results.flatMap(({ links }) => [...links])),
    poison: refused.map(({ item, error }) => ({ event: eventAt(batch, item), error })),
  };
}
