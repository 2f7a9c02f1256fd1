import { type BatchEvent, type EventOutcome, keyOf } from "#domain";
import type { Store } from "#postgres";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";
import { type ChangedTransaction, changedToLinked, loadLinks } from "./transactions/apply-events.ts";
import type { IsolatedBatch, PoisonEvent } from "./transactions/apply-isolated.ts";
import { eventAt } from "./transactions/event-batch.ts";
import { findTransactions } from "./transactions/find-transactions.ts";
import type { MessageOutcomes } from "./unreported.ts";

/**
 * What `applyEvents` gave when these messages were applied, by an owner that is gone: the outcomes as it wrote them down, and
 * the rows that it made or changed as they are now. A record of a later state is as good: the platform merges them in any
 * order.
 * @param known of each message
 */
export async function recallBatch(
  store: Store,
  prepared: PreparedBatch,
  known: readonly MessageOutcomes[],
): Promise<IsolatedBatch> {
  const { events } = prepared;
  const starts = firstOrds(prepared.heads);
  const outcomes = new Array<EventOutcome | undefined>(events.count);
  const poison: PoisonEvent[] = [];
  const touched = new Map<string, BatchEvent>();
  for (const [i, message] of known.entries()) {
    for (const [at, outcome] of message.outcomes.entries()) {
      const ord = (starts[i] as number) + at;
      outcomes[ord] = outcome;
      const error = message.refused.get(at);
      if (error !== undefined) poison.push({ event: eventAt(events, ord), error });
      if (outcome?.kind === "created" || outcome?.kind === "updated") {
        const event = eventAt(events, ord);
        touched.set(keyOf(event), event);
      }
    }
  }
  const changed = await findChanged(store, [...touched.values()]);
  return {
    outcomes,
    created: [],
    changed,
    links: await loadLinks(store, changed.map(changedToLinked)),
    poison,
  };
}

async function findChanged(store: Store, events: readonly BatchEvent[]): Promise<ChangedTransaction[]> {
  const found = await findTransactions(store, events);
  return events.flatMap(({ ord }, i) => {
    const transaction = found[i];
    // One that is gone since has left with all that hangs on it. Any other may have settled.
    return transaction === undefined ? [] : [{ ord, transaction, mayHaveEarned: true }];
  });
}
