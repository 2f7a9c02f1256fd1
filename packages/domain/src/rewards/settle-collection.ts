import type { CollectionDraft } from "./collection-draft.ts";
import { awaitedStamp, judge, judgeWaiting } from "./judge-collection.ts";

/**
 * Brings a collection up to what is stored of its transactions. Each that has settled is applied as if it had
 * been told of at once, when those that settled later were still authorized. So the result depends neither on
 * the order of the settlements nor on an outcome that comes in between (contract, section 9). What was
 * applied before changes nothing.
 *
 * Amounts have no such history: one counts as known since its purchase cleared, or else from when its
 * settlement comes.
 * @param transactionId to be applied even if its stamp is held by a redemption that is paid
 */
export function settle(draft: CollectionDraft, transactionId?: string): void {
  for (const { id, state, settledOrder } of draft.settledInOrder(transactionId)) {
    draft.moment = settledOrder ?? 0;
    // A transaction that was final from the first supplied all that it could when its stamp was made.
    const isAwaited = settledOrder !== null && awaitedStamp(draft)?.transaction.id === id;
    const before = draft.changes.length;
    if (state === "reverted") takeBack(draft, id);
    else for (const redemption of draft.pendingRedemptions(id)) draft.clear(redemption);
    if (isAwaited || draft.changes.length > before) judgeWaiting(draft);
  }
  draft.moment = Number.POSITIVE_INFINITY;
}

/** Voids the stamp of a reverted transaction, and undoes its redemption unless that has been paid. */
function takeBack(draft: CollectionDraft, transactionId: string): void {
  const stamp = draft.stampOf(transactionId);
  if (stamp === undefined) return;
  const redemption = draft.redemptionOf(stamp);
  draft.voidStamp(stamp);
  if (redemption?.cashback.state !== "pending") return;
  draft.undo(redemption);
  judge(draft, draft.program?.threshold);
}
