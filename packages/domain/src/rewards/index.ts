export { applyOutcome } from "./apply-outcome.ts";
export { applySettlement } from "./apply-settlement.ts";
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
