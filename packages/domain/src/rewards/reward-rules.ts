import { CollectionDraft } from "./collection-draft.ts";
import type {
  Clip,
  DealOutcome,
  Program,
  PurchaseOutcome,
  RewardTransaction,
  Stamp,
  StampCollection,
} from "./reward-state.ts";
import {
  clearCashback,
  type Ignored,
  makeCashback,
  type RewardContext,
  type RewardRecord,
  type RewardStep,
  revertCashback,
} from "./reward-step.ts";

/*
 * What outcomes of the platform and settlements do to a stamp collection and to a clip (contract, section 9).
 * An outcome may come again, and in any order with the settlements of its transaction. Transactions are given
 * as they are stored now.
 */

/** Makes the stamp of a qualifying purchase. */
export function applyPurchase(
  collection: StampCollection,
  transaction: RewardTransaction,
  outcome: PurchaseOutcome,
  context: RewardContext,
): RewardStep<StampCollection> {
  // A voided stamp is not loaded, and need not be: its transaction is reverted for good.
  if (transaction.state === "reverted") return ignored(collection, "transaction_reverted");
  const draft = new CollectionDraft(collection, context);
  if (draft.stampOf(transaction.id) !== undefined) return ignored(collection, "already_stamped");
  settle(draft);
  draft.makeStamp(transaction, outcome);
  judge(draft, draft.program?.threshold);
  return draft.finish();
}

/**
 * Tells a collection what became of a transaction: it cleared, it was reverted, or it only learned its amount
 * or currency. What has been applied before changes nothing. The collection learns of all its transactions
 * that have settled, not only of this one: in the order in which they did.
 */
export function settleCollection(
  collection: StampCollection,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, context);
  draft.learn(transaction);
  settle(draft, transaction.id);
  judgeWaiting(draft);
  return draft.finish();
}

/**
 * Redeems while the counter reaches the threshold (contract, section 9): after an outcome, and after a
 * redemption was undone. Judging at any other moment would let a lowered threshold apply before its time.
 * @param threshold the one in force, or for stamps that waited, the one that they had reached; undefined
 * without a program, and then nothing is redeemed
 */
export function judge(draft: CollectionDraft, threshold: number | undefined): void {
  // A stamp whose transaction was reverted at the same moment must not count for a redemption.
  for (const stamp of draft.unredeemed) {
    if (draft.asOfMoment(stamp.transaction).state === "reverted") draft.voidStamp(stamp);
  }
  if (draft.program === null || threshold === undefined) return;
  if (!(threshold >= 1)) throw new RangeError(`a threshold of ${threshold}`);
  draft.waitingThreshold = null;
  for (let due = draft.unredeemed; due.length >= threshold; due = draft.unredeemed) {
    const stamps = due.slice(0, threshold);
    const newest = stamps.at(-1) as Stamp;
    const reward = rewardFor(draft.program, newest);
    if (reward === undefined) {
      draft.waitingThreshold = threshold;
      return;
    }
    draft.redeem(stamps, newest, reward);
  }
}

/** The stamp whose amount or currency the waiting stamps need. */
function awaitedStamp(draft: CollectionDraft): Stamp | undefined {
  return draft.waitingThreshold === null ? undefined : draft.unredeemed[draft.waitingThreshold - 1];
}

/** Judges stamps that waited for an amount or a currency, by the threshold that they had reached. */
function judgeWaiting(draft: CollectionDraft): void {
  if (draft.waitingThreshold !== null) judge(draft, draft.waitingThreshold);
}

/**
 * What a redemption is worth, by its newest stamp; undefined as long as the amount or the currency is
 * unknown.
 */
function rewardFor(program: Program, newest: Stamp): { amount: number; currency: string } | undefined {
  const { transaction } = newest;
  const amount = rewardAmount(program.reward, newest);
  const currency = newest.currency ?? transaction.currency ?? program.currency;
  return amount === null || currency === null ? undefined : { amount, currency };
}

/** Throws for a type that it does not know: it must not be paid as if it were another. */
function rewardAmount(reward: Program["reward"], newest: Stamp): number | null {
  switch (reward.type) {
    case "fixed-reward":
      return reward.amount;
    case "refund":
      return newest.purchaseAmount ?? newest.transaction.amount;
    default: {
      const unknown: never = reward;
      throw new RangeError(`no such reward: ${JSON.stringify(unknown)}`);
    }
  }
}

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
function settle(draft: CollectionDraft, transactionId?: string): void {
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

/** Redeems a clip for what its deal gives. */
export function applyDeal(
  clip: Clip,
  transaction: RewardTransaction,
  outcome: DealOutcome,
  context: RewardContext,
): RewardStep<Clip> {
  if (clip.redeemed) return ignored(clip, "already_redeemed");
  if (transaction.state === "reverted") return ignored(clip, "transaction_reverted");
  const record: RewardRecord = {
    changes: [{ type: "clip_redeemed", clipId: clip.id, at: context.at }],
    events: [],
    at: context.at,
  };
  const cashback = makeCashback(record, transaction, {
    id: context.idOf(`cashback:${clip.id}`),
    amount: outcome.amount,
    currency: outcome.currency,
    source: { type: "clip", clipId: clip.id, dealId: clip.dealId },
  });
  return stepOf({ kind: "clip", id: clip.id, dealId: clip.dealId, redeemed: true, cashback }, record);
}

/** Tells a clip what became of a transaction, as `settleCollection` does. */
export function settleClip(
  clip: Clip,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<Clip> {
  const { id, dealId, redeemed, cashback } = clip;
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
  return stepOf({ kind: "clip", id, dealId, redeemed, cashback: settled }, record);
}

function stepOf<T>(state: T, { changes, events }: RewardRecord): RewardStep<T> {
  return { state, changes, events, ignored: null };
}

function ignored<T>(state: T, reason: Ignored): RewardStep<T> {
  return { state, changes: [], events: [], ignored: reason };
}
