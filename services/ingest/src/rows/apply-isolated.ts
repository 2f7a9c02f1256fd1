import type { Transaction } from "#postgres";
import { refusalOfData } from "#postgres";
import { type EventRow, readEventRows } from "#publisher-db";
import { type AppliedBatch, applyEvents } from "./apply-events.ts";
import { type EventBatch, toEventBatch } from "./event-batch.ts";

/** An event that the database refuses for what it says, and will refuse again. */
export interface PoisonEvent {
  readonly row: EventRow;
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
 * @param batch made "readable"
 */
export async function applyIsolated(sql: Transaction, batch: EventBatch): Promise<IsolatedBatch> {
  try {
    return { ...(await sql.savepoint((nested) => applyEvents(nested, batch))), poison: [] };
  } catch (error) {
    const code = refusalOfData(error);
    if (code === undefined || typeof batch.firsts !== "string") throw error;
    const rows = [...readEventRows(batch.firsts), ...readEventRows(batch.later)];
    const [row] = rows;
    if (rows.length === 1 && row !== undefined) return onlyPoison(batch.count, { row, error: code });
    let merged: IsolatedBatch | undefined;
    // One half after the other: events of one key that come apart keep their order.
    for (const half of halve(rows)) {
      const result = await applyIsolated(sql, toEventBatch(half, batch.count, "readable"));
      merged = merged === undefined ? result : merge(merged, result);
    }
    return merged as IsolatedBatch;
  }
}

function halve(rows: EventRow[]): [EventRow[], EventRow[]] {
  const inOrder = rows.sort((a, b) => a.ord - b.ord);
  const middle = Math.ceil(inOrder.length / 2);
  return [inOrder.slice(0, middle), inOrder.slice(middle)];
}

function onlyPoison(count: number, poison: PoisonEvent): IsolatedBatch {
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
