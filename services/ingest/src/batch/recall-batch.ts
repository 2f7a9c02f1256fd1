import { type BatchEvent, keyOf } from "#domain";
import type { Store } from "#postgres";
import { type AppliedBatch, changedToLinked, everyOrd, loadLinks } from "./apply-events.ts";
import { eventAt } from "./event-batch.ts";
import { findTransactions } from "./load-for-events.ts";
import type { PreparedBatch } from "./prepare-batch.ts";

/**
 * Recalls messages that an earlier owner has applied: the rows of their events in their current state,
 * whether the events changed them or not. A record of a later state is as good, and one record more does no
 * harm: receivers merge them by key, in any order.
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
    // No row was created, or retention has removed it with all that belonged to it. Any other row may have
    // settled.
    return transaction === undefined ? [] : [{ ord, transaction, mayHaveEarned: true }];
  });
  // All of these rows were stored before. Relinking reports a new link, and knows which purchase is the
  // newest.
  const linked = changed.map((one) => ({ ...changedToLinked(one), wasThere: true }));
  const links = await loadLinks(store, linked);
  return { outcomes: [], created: [], changed, links };
}
