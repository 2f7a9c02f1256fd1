import { type BatchEvent, keyOf } from "#domain";
import type { Store } from "#postgres";
import { type AppliedBatch, changedToLinked, everyOrd, loadLinks } from "./apply-events.ts";
import { eventAt } from "./event-batch.ts";
import { findTransactions } from "./load-for-events.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

/**
 * What follows from messages that an owner which is gone has applied: the rows of their events as they are now, changed by
 * them or not. A record of a later state is as good, and one more does no harm: receivers merge them by key, in any order.
 */
export async function recallBatch(store: Store, { events }: PreparedBatch): Promise<AppliedBatch> {
  const byKey = new Map<string, BatchEvent>();
  for (const ord of everyOrd(events)) {
    const event = eventAt(events, ord);
    byKey.set(keyOf(event), event);
  }
  const touched = [...byKey.values()];
  const found = await findTransactions(store, touched);
  const changed = touched.flatMap(({ ord }, i) => {
    const transaction = found[i];
    // None was made, or it has left with all that hangs on it. Any other may have settled.
    return transaction === undefined ? [] : [{ ord, transaction, mayHaveEarned: true }];
  });
  // All of them were there: a new link is told by relinking, which knows the newest.
  const linked = changed.map((one) => ({ ...changedToLinked(one), wasThere: true }));
  const links = await loadLinks(store, linked);
  return { outcomes: [], created: [], changed, links };
}
