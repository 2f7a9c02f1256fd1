export { type DealRewardRule, dealReward, type Money } from "./deal-reward.ts";
export { findMerchantConflict, type MerchantConflict } from "./merchant-conflict.ts";
export { mergeRecord, type PurchaseRecord, type RecordRoute } from "./merge-record.ts";
export { type OutcomeTarget, outcomeId } from "./outcome-id.ts";
export {
  type Half,
  PAIRING_WINDOW_MICROSECONDS,
  type Pair,
  pairByNearestTime,
} from "./pair-by-nearest-time.ts";
export {
  type Disqualification,
  type PreparedRules,
  prepareRules,
  qualifies,
  type RetailerPayment,
  type RoutedRecord,
  type Rules,
  type Verdict,
} from "./qualifies.ts";
export {
  indexRoutes,
  type RetailerRoutes,
  type Route,
  type RouteIndex,
  routeTransaction,
} from "./route-transaction.ts";
