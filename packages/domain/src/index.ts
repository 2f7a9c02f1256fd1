export { canonicalJson } from "./canonical-json.ts";
export { holdsCardNumber } from "./card-number.ts";
export { clientAddress, type TrustedProxies, trustedProxies } from "./client-address.ts";
export { isCurrency } from "./currency.ts";
export {
  type BatchEvent,
  type EventOutcome,
  type FoldedBatch,
  type FoldedTransaction,
  foldEvents,
  keyOf,
  UNKNOWN_MEMBER,
} from "./fold-events.ts";
export { hashTokenSecret } from "./hash-token-secret.ts";
export { type CardData, NETWORKS, type Network, transactionIdentifiers } from "./identifiers.ts";
export { keptAnswerContext } from "./kept-answer-context.ts";
export {
  applyEvent,
  type Decision,
  type IgnoredField,
  type Rejection,
  STATES,
  type StoredTransaction,
  stateOf,
  type Transaction,
  type TransactionEvent,
  type TransactionState,
} from "./lifecycle.ts";
export {
  LINK_GRACE_MICROSECONDS,
  type LinkTimes,
  linkCounts,
  purchaseLinks,
} from "./links/purchase-links.ts";
export { nameUuid } from "./name-uuid.ts";
export { partitionOf } from "./partition.ts";
export { type DealRewardRule, dealReward, type Money } from "./platform/deal-reward.ts";
export { findMerchantConflict, type MerchantConflict } from "./platform/merchant-conflict.ts";
export { mergeRecord, type PurchaseRecord, type RecordRoute } from "./platform/merge-record.ts";
export { microsecondsOf } from "./platform/microseconds.ts";
export { type OutcomeTarget, outcomeId } from "./platform/outcome-id.ts";
export {
  type Half,
  PAIRING_WINDOW_MICROSECONDS,
  type Pair,
  pairByNearestTime,
} from "./platform/pair-by-nearest-time.ts";
export {
  type Disqualification,
  type PreparedRules,
  prepareRules,
  qualifies,
  type RetailerPayment,
  type RoutedRecord,
  type Rules,
  type Verdict,
} from "./platform/qualifies.ts";
export {
  indexRoutes,
  type RetailerRoutes,
  type Route,
  type RouteIndex,
  routeTransaction,
} from "./platform/route-transaction.ts";
export { retryDelayMs } from "./retry.ts";
export { applyOutcome } from "./rewards/apply-outcome.ts";
export { applySettlement } from "./rewards/apply-settlement.ts";
export { collectionFaults } from "./rewards/collection-faults.ts";
export { judgeCollection } from "./rewards/judge-collection.ts";
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
} from "./rewards/reward-state.ts";
export type { Ignored, RewardChange, RewardContext, RewardEvent, RewardStep } from "./rewards/reward-step.ts";
export { SeededRandom } from "./seeded-random.ts";
export { isTimestamp, toUtcMicroseconds } from "./timestamp.ts";
export { type Bucket, type BucketRate, type Taken, takeToken } from "./token-bucket.ts";
export { createTokenSecret, isTokenSecret } from "./token-secret.ts";
export { transactionId } from "./transaction-id.ts";
export { decodeId, encodeId, ID_PREFIXES, type IdPrefix } from "./typeid.ts";
export {
  createWebhookSecret,
  isWebhookSecret,
  webhookSecretBytes,
  webhookSecretContext,
} from "./webhook-secret.ts";
export {
  HTTP_TARGETS,
  type HttpTargets,
  isAllowedAddress,
  isCidr,
  localhostAddresses,
  type TargetPolicy,
  targetFault,
  targetPolicy,
} from "./webhook-target.ts";
export {
  DELIVERY_ERROR_CLASSES,
  type DeliveryErrorClass,
  errorClassOfStatus,
} from "./webhooks/delivery-error-class.ts";
export { type DeliveryPlan, type JudgedAttempt, planAfterAttempt } from "./webhooks/plan-after-attempt.ts";
export { readRetryAfterMs, retryAfterMs } from "./webhooks/retry-after.ts";
export { type SignedContent, signWebhook } from "./webhooks/sign-webhook.ts";
