import type { BatchEvent } from "#domain";
import { refusalOfData, type Transaction } from "#postgres";
import { type AppliedBatch, applyEvents } from "./apply-events.ts";
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

/**
 * `applyEvents`, except that an event which the database refuses does not hold up the others: the batch is halved until
 * the refused ones stand alone, 2 log2(n) attempts for one of them, each of which is undone by itself. Only refusals of
 * data count (SQLSTATE classes 22 and 23). A missing table or privilege is not the event's fault: that would bury every
 * event, so it is thrown and tried again.
 */
export function applyIsolated(sql: Transaction, batch: EventBatch): Promise<IsolatedBatch> {
  return applySome(
    sql,
    batch,
    Array.from({ length: batch.count }, (_, ord) => ord),
  );
}

async function applySome(
  sql: Transaction,
  batch: EventBatch,
  ords: readonly number[],
): Promise<IsolatedBatch> {
  try {
    return { ...(await sql.savepoint((nested) => applyEvents(nested, batch, ords))), poison: [] };
  } catch (error) {
    const code = refusalOfData(error);
    if (code === undefined) throw error;
    if (ords.length === 1)
      return onlyPoison(batch, { event: eventAt(batch, ords[0] as number), error: code });
    const middle = Math.ceil(ords.length / 2);
    // One half after the other: events of one key that come apart keep their order.
    const first = await applySome(sql, batch, ords.slice(0, middle));
    return merge(first, await applySome(sql, batch, ords.slice(middle)));
  }
}

function onlyPoison({ count }: EventBatch, poison: PoisonEvent): IsolatedBatch {
  return {
    outcomes: new Array<undefined>(count),
    created: [],
    changed: [],
    links: new Map(),
    poison: [poison],
  };
}

function merge(a: IsolatedBatch, b: IsolatedBatch): IsolatedBatch {
  return {
    outcomes: Array.from(a.outcomes, (outcome, ord) => outcome ?? b.outcomes[ord]),
    created: [...a.created, ...b.created],
    changed: [...a.changed, ...b.changed],
    links: new Map([...a.links, ...b.links]),
    poison: [...a.poison, ...b.poison],
  };
}
