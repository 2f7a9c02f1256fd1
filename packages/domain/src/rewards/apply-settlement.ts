import { clearCashback, type RewardRecord, revertCashback } from "./cashback-record.ts";
import { CollectionDraft } from "./collection-draft.ts";
import { judgeWaiting } from "./judge-collection.ts";
import type { Clip, RewardTransaction, StampCollection } from "./reward-state.ts";
import type { RewardContext, RewardStep } from "./reward-step.ts";
import { settle } from "./settle-collection.ts";

/**
 * Tells a collection or a clip what became of a transaction (contract, section 9): it cleared, it was
 * reverted, or it only learned its amount or currency. What has been applied before changes nothing. A
 * collection learns of all its transactions that have settled, not only of this one: in the order in which
 * they did.
 * @param transaction as stored now
 */
export function applySettlement(
  target: StampCollection,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<StampCollection>;
export function applySettlement(
  target: Clip,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<Clip>;
export function applySettlement(
  target: StampCollection | Clip,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<StampCollection | Clip> {
  return target.kind === "clip"
    ? settleClip(target, transaction, context)
    : settleCollection(target, transaction, context);
}

function settleCollection(
  collection: StampCollection,
  transaction: RewardTransaction,
  context: RewardContext,
): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, context);
  draft.learn(transaction);
  settle(draft, transaction.id);
  judgeWaiting(draft);
  return draft.finish(null);
}

function settleClip(clip: Clip, transaction: RewardTransaction, context: RewardContext): RewardStep<Clip> {
  const { cashback } = clip;
  const record: RewardRecord = { changes: [], events: [], at: context.at };
  if (
    cashback === null ||
    cashback.state !== "pending" ||
    cashback.transactionId !== transaction.id ||
    transaction.state === "authorized"
  ) {
    return { state: clip, changes: [], events: [], ignored: null };
  }
  const settled =
    transaction.state === "cleared" ? clearCashback(record, cashback) : revertCashback(record, cashback);
  return {
    state: { kind: "clip", id: clip.id, dealId: clip.dealId, redeemed: clip.redeemed, cashback: settled },
    changes: record.changes,
    events: record.events,
    ignored: null,
  };
}
