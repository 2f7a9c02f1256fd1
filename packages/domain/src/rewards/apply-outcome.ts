import { makeCashback, type RewardRecord } from "./cashback-record.ts";
import { CollectionDraft } from "./collection-draft.ts";
import { judge } from "./judge-collection.ts";
import type {
  Clip,
  DealOutcome,
  PurchaseOutcome,
  RewardTransaction,
  StampCollection,
} from "./reward-state.ts";
import type { Ignored, RewardContext, RewardStep } from "./reward-step.ts";
import { settle } from "./settle-collection.ts";

/**
 * Applies an outcome of the platform to the collection or the clip that it names (contract, section 9). It
 * may come again, and in any order with the settlements of its transaction.
 * @param transaction as stored now
 */
export function applyOutcome(
  target: StampCollection,
  transaction: RewardTransaction,
  outcome: PurchaseOutcome,
  context: RewardContext,
): RewardStep<StampCollection>;
export function applyOutcome(
  target: Clip,
  transaction: RewardTransaction,
  outcome: DealOutcome,
  context: RewardContext,
): RewardStep<Clip>;
export function applyOutcome(
  target: StampCollection | Clip,
  transaction: RewardTransaction,
  outcome: PurchaseOutcome | DealOutcome,
  context: RewardContext,
): RewardStep<StampCollection | Clip> {
  if (target.kind === "clip" && outcome.type === "deal") {
    return applyDeal(target, transaction, outcome, context);
  }
  if (target.kind === "collection" && outcome.type === "qualifying_purchase") {
    return applyPurchase(target, transaction, outcome, context);
  }
  throw new TypeError(`a ${outcome.type} outcome for a ${target.kind}`);
}

function applyPurchase(
  collection: StampCollection,
  transaction: RewardTransaction,
  outcome: PurchaseOutcome,
  context: RewardContext,
): RewardStep<StampCollection> {
  const ignored = (reason: Ignored) => ({ state: collection, changes: [], events: [], ignored: reason });
  // A voided stamp is not loaded, and need not be: its transaction is reverted for good.
  if (transaction.state === "reverted") return ignored("transaction_reverted");
  const draft = new CollectionDraft(collection, context);
  if (draft.stampOf(transaction.id) !== undefined) return ignored("already_stamped");
  settle(draft);
  draft.makeStamp(transaction, outcome);
  judge(draft, draft.program?.threshold);
  return draft.finish(null);
}

function applyDeal(
  clip: Clip,
  transaction: RewardTransaction,
  outcome: DealOutcome,
  context: RewardContext,
): RewardStep<Clip> {
  const ignored = (reason: Ignored) => ({ state: clip, changes: [], events: [], ignored: reason });
  if (clip.redeemed) return ignored("already_redeemed");
  if (transaction.state === "reverted") return ignored("transaction_reverted");
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
  return {
    state: { kind: "clip", id: clip.id, dealId: clip.dealId, redeemed: true, cashback },
    changes: record.changes,
    events: record.events,
    ignored: null,
  };
}
