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
  RewardTransaction,
  Stamp,
  StampCollection,
} from "./reward-state.ts";
export type { Ignored, RewardChange, RewardContext, RewardEvent, RewardStep } from "./reward-step.ts";
