import { microsecondsOf } from "#domain";
import type { Store } from "#postgres";
import { type EventRow, readEventRows } from "#publisher-db";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";
import { type ChangedTransaction, type EventOutcome, loadLinks } from "./rows/apply-events.ts";
import type { IsolatedBatch, PoisonEvent } from "./rows/apply-isolated.ts";
import { keyOf } from "./rows/event-batch.ts";
import { findTransactions } from "./rows/find-transactions.ts";
import type { MessageOutcomes } from "./unreported.ts";

/**
 * What `applyEvents` gave when these messages were applied, by an owner that is gone: the outcomes as it wrote them down, and
 * the rows that it made or changed as they are now. A record of a later state is as good: the platform merges them in any
 * order.
 * @param prepared in readable form
 * @param known of each message
 */
export async function recallBatch(
  store: Store,
  prepared: PreparedBatch,
  known: readonly MessageOutcomes[],
): Promise<IsolatedBatch> {
  const { firsts, later, count } = prepared.events;
  const rows = [...readEventRows(firsts as string), ...readEventRows(later)].sort((a, b) => a.ord - b.ord);
  const starts = firstOrds(prepared.heads);
  const outcomes = new Array<EventOutcome | undefined>(count);
  const poison: PoisonEvent[] = [];
  const touched = new Map<string, EventRow>();
  for (const [i, message] of known.entries()) {
    for (const [at, outcome] of message.outcomes.entries()) {
      const ord = (starts[i] as number) + at;
      const row = rows[ord] as EventRow;
      outcomes[ord] = outcome;
      const error = message.refused.get(at);
      if (error !== undefined) poison.push({ row, error });
      if (outcome?.kind === "created" || outcome?.kind === "updated") touched.set(keyOf(row), row);
    }
  }
  const changed = await findChanged(store, [...touched.values()]);
  return { outcomes, created: [], changed, links: await loadLinks(store, changed.flatMap(toLinked)), poison };
}

async function findChanged(store: Store, rows: readonly EventRow[]): Promise<ChangedTransaction[]> {
  const keys = rows.map((row) => ({ organisationId: row.organisation_id, externalId: row.external_id }));
  const found = await findTransactions(store, keys);
  return rows.flatMap(({ ord, organisation_id }, i) => {
    const one = found[i];
    // One that is gone since has left with all that hangs on it.
    return one === undefined ? [] : [{ ord, organisationId: organisation_id, ...one }];
  });
}

function toLinked({ ord, transaction: { memberId, authedAt } }: ChangedTransaction) {
  return memberId === null ? [] : [{ ord, memberId, authedAt: microsecondsOf(authedAt) }];
}
