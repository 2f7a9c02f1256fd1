import { CollectionDraft } from "./collection-draft.ts";
import { rewardOf } from "./redemption-worth.ts";
import type {
  Clip,
  DealOutcome,
  PurchaseOutcome,
  RewardTransaction,
  Stamp,
  StampCollection,
} from "./reward-state.ts";
import {
  asOfMoment,
  clearCashback,
  type Ignored,
  makeCashback,
  type RewardContext,
  type RewardRecord,
  type RewardStep,
  revertCashback,
} from "./reward-step.ts";

/*
 * The effects of outcomes and settlements on a stamp collection and on a clip (contract, section 9). An
 * outcome may be repeated, and come in any order with the settlements of its transaction. Transactions are
 * given in their stored state, and count as of `RewardContext.moment`.
 */

/** Makes the stamp of a qualifying purchase. */
export function applyPurchase(
  collection: StampCollection,
  transaction: RewardTransaction,
  outcome: PurchaseOutcome,
  context: RewardContext,
): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, context);
  if (draft.asOfMoment(transaction).state === "reverted") return ignored(collection, "transaction_reverted");
  if (draft.hasStamped(transaction)) return ignored(collection, "already_stamped");
  settle(draft);
  // Redeems only stamps that the previous version left waiting for an amount: they are due by the threshold
  // that it had reached.
  judge(draft);
  draft.makeStamp(transaction, outcome);
  judge(draft);
  return draft.finish();
}

/**
 * Applies the settlement of a transaction to a collection: it cleared, was reverted, or only learned its amount or currency. A
 * settlement that was applied before changes nothing. All settled transactions of the collection are applied, not only this one, in
 * the order in which they settled.
 */
export function settleCollection(
  collection: StampCollection,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, context);
  draft.learn(transaction);
  settle(draft, transaction.id);
  judge(draft);
  for (const redemption of draft.withoutCashback(transaction.id)) draft.tellCashback(redemption);
  return draft.finish();
}

/**
 * Redeems while the counter reaches the threshold (contract, section 9). The threshold is that of the newest stamp, so the time of the
 * call makes no difference.
 */
export function judge(draft: CollectionDraft): void {
  // A stamp whose transaction was reverted at the same moment must not count for a redemption.
  for (const stamp of draft.unredeemed) {
    if (draft.asOfMoment(stamp.transaction).state === "reverted") draft.voidStamp(stamp);
  }
  const { threshold } = draft;
  if (threshold === null) return;
  if (!(threshold >= 1)) throw new RangeError(`a threshold of ${threshold}`);
  for (let due = draft.unredeemed; due.length >= threshold; due = draft.unredeemed) {
    const stamps = due.slice(0, threshold);
    const newest = stamps.at(-1) as Stamp;
    if (rewardOf(draft.program, newest) === undefined) return;
    draft.redeem(stamps, newest);
  }
}

/**
 * Applies all settled transactions of a collection, each as if its settlement had come immediately, while
 * those that settled later were still authorized. So the result depends neither on the order of the
 * settlements nor on an outcome in between (contract, section 9). A transaction that was applied before
 * changes nothing.
 *
 * Amounts have no such history: an amount counts as known as soon as it is stored.
 * @param transactionId applied even if a paid redemption holds its stamp
 */
function settle(draft: CollectionDraft, transactionId?: string): void {
  for (const { id, state, settledOrder } of draft.settledInOrder(transactionId)) {
    draft.moment = settledOrder ?? 0;
    if (state === "reverted") takeBack(draft, id);
    else for (const redemption of draft.pendingRedemptions(id)) draft.clear(redemption);
  }
  draft.moment = draft.now;
}

/** Voids the stamp of a reverted transaction, and undoes its redemption unless that has been paid. */
function takeBack(draft: CollectionDraft, transactionId: string): void {
  const stamp = draft.stampOf(transactionId);
  if (stamp === undefined) return;
  const redemption = draft.redemptionOf(stamp);
  draft.voidStamp(stamp);
  if (redemption?.isPending !== true) return;
  draft.undo(redemption);
  // Stamps from before thresholds were kept are judged by the stored program's.
  draft.threshold ??= draft.program?.threshold ?? null;
  judge(draft);
}

/** Redeems a clip. */
export function applyDeal(
  clip: Clip,
  stored: RewardTransaction,
  outcome: DealOutcome,
  context: RewardContext,
): RewardStep<Clip> {
  const transaction = asOfMoment(stored, context.moment);
  if (clip.redeemed) return ignored(clip, "already_redeemed");
  if (transaction.state === "reverted") return ignored(clip, "transaction_reverted");
  const record: RewardRecord = {
    changes: [{ type: "clip_redeemed", clipId: clip.id, at: context.at }],
    events: [],
    at: context.at,
  };
  const cashback = makeCashback(record, transaction, {
    id: context.idOf(`cashback:${clip.id}:${transaction.id}`, transaction.id),
    amount: outcome.amount,
    currency: outcome.currency,
    source: { type: "clip", clipId: clip.id, dealId: clip.dealId },
  });
  return stepOf({ ...clip, redeemed: true, cashback }, record);
}

/** Applies the settlement of a transaction to a clip, like `settleCollection`. */
export function settleClip(clip: Clip, stored: RewardTransaction, context: RewardContext): RewardStep<Clip> {
  const transaction = asOfMoment(stored, context.moment);
  const { id, cashback } = clip;
  const record: RewardRecord = { changes: [], events: [], at: context.at };
  if (
    cashback === null ||
    cashback.state !== "pending" ||
    cashback.transactionId !== transaction.id ||
    transaction.state === "authorized"
  ) {
    return stepOf(clip, record);
  }
  const settled =
    transaction.state === "cleared" ? clearCashback(record, cashback) : revertCashback(record, cashback);
  if (settled.state !== "reverted" || clip.reopens !== true) {
    return stepOf({ ...clip, cashback: settled }, record);
  }
  record.changes.push({ type: "clip_reopened", clipId: id });
  return stepOf({ ...clip, redeemed: false, cashback: null }, record);
}

function stepOf<T>(state: T, { changes, events }: RewardRecord): RewardStep<T> {
  return { state, changes, events, ignored: null };
}

function ignored<T>(state: T, reason: Ignored): RewardStep<T> {
  return { state, changes: [], events: [], ignored: reason };
}
