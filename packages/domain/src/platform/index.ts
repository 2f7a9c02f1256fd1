export { type DealRewardRule, dealReward } from "./deal-reward.ts";
export { findMerchantConflict, type MerchantConflict } from "./merchant-conflict.ts";
export { mergeRecord, type PurchaseRecord, type RecordRoute } from "./merge-record.ts";
export { outcomeId } from "./outcome-id.ts";
export { type Half, PAIRING_WINDOW_MICROSECONDS, pairByNearestTime } from "./pair-by-nearest-time.ts";
export {
  type Disqualification,
  type PreparedRules,
  prepareRules,
  qualifies,
  type RetailerPayment,
  type Rules,
} from "./qualifies.ts";
export { indexRoutes, type RetailerRoutes, type RouteIndex, routeTransaction } from "./route-transaction.ts";
