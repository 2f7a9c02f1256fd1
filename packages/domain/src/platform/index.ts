export { compareTexts } from "./compare-texts.ts";
export { type DraftOffer, type DryRun, dryRun, type TriedPurchase } from "./dry-run.ts";
export {
  type ExplainedLink,
  type ExplainedPurchase,
  type ExplainedVerdict,
  explainPurchase,
  type NotEarned,
  newestClips,
  type PaymentStanding,
  type PreparedPrograms,
  type Verdict,
} from "./explain-purchase.ts";
export { MerchantFilter } from "./merchant-filter.ts";
export { mergeRecord, type PurchaseRecord, type RecordRoute } from "./merge-record.ts";
export { type Difference, differenceOf } from "./near-miss.ts";
export {
  type Half,
  PAIRING_WINDOW_MICROSECONDS,
  type Pair,
  pairByNearestTime,
} from "./pair-by-nearest-time.ts";
export { type Revision, Revisions } from "./revisions.ts";
export {
  indexRoutes,
  normaliseMerchantText,
  type RetailerRevision,
  type RetailerRoutes,
  type Route,
  type RouteIndex,
} from "./route-index.ts";
export {
  findMerchantConflict,
  isRouted,
  type MerchantConflict,
  routeTransaction,
  UNKNOWN_MERCHANT,
} from "./route-transaction.ts";
export {
  type DealRewardRule,
  type Disqualification,
  dealReward,
  judgeDeal,
  namesMerchant,
  outcomeId,
  type PreparedDeal,
  type PreparedProgram,
  type PreparedRules,
  type ProgramRewardRule,
  prepareRules,
  qualifies,
  type RetailerPayment,
  type Rules,
} from "./rules.ts";
