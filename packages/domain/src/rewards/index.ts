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
export {
  type Ignored,
  placeOf,
  type RewardChange,
  type RewardContext,
  type RewardEvent,
  type RewardStep,
  type Worth,
} from "./reward-step.ts";
