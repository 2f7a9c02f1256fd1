export { applyDeal, applyPurchase, settleClip, settleCollection } from "./reward-rules.ts";
export type {
  Cashback,
  CashbackSource,
  CashbackState,
  Clip,
  DealOutcome,
  Program,
  PurchaseOutcome,
  Redemption,
  Reward,
  RewardTransaction,
  Stamp,
  StampCollection,
} from "./reward-state.ts";
export type { Ignored, RewardChange, RewardContext, RewardEvent, RewardStep, Worth } from "./reward-step.ts";
