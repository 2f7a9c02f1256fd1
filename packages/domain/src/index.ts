export { canonicalJson } from "./canonical-json.ts";
export { clientAddress, isTrustedProxy, type TrustedProxies, trustedProxies } from "./client-address.ts";
export {
  type BatchEvent,
  type EventResult,
  type FoldedBatch,
  type FoldedTransaction,
  foldEvents,
  keyOf,
  MEMBER_NOT_RESTORED,
  UNKNOWN_MEMBER,
} from "./fold-events.ts";
export { addTo, groupBy } from "./grouping.ts";
export { NETWORKS, type Network, transactionId, transactionIdentifiers } from "./identifiers.ts";
export {
  applyEvent,
  type ChangingField,
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
  linkReach,
  purchaseLinks,
  RETROACTIVE_REACH_MICROSECONDS,
  type RetroactiveHistory,
  retroactiveSince,
} from "./links/purchase-links.ts";
export { isUuid, lowestUuidAt, MAX_UUID, NIL_UUID, nameUuid, nameUuidAt, uuidTime } from "./name-uuid.ts";
export { partitionOf } from "./partition.ts";
export {
  DIFFERENCES,
  DISQUALIFICATIONS,
  type Difference,
  type Disqualification,
  NOT_EARNED,
  type NotEarned,
  ROUTING_OUTCOMES,
  type RoutingOutcome,
} from "./purchase-verdicts.ts";
export { retryDelayMs } from "./retry.ts";
export { SeededRandom } from "./seeded-random.ts";
export { isTimestamp, isUtc, microsecondsOf, toUtcMicroseconds } from "./timestamp.ts";
export { type Bucket, type BucketRate, takeToken } from "./token-bucket.ts";
export { createTokenSecret, hashTokenSecret, isTokenSecret } from "./token-secret.ts";
export { decodeId, decodeIdInto, encodeId, type IdPrefix } from "./typeid.ts";
export {
  createWebhookSecret,
  isWebhookSecret,
  webhookSecretBytes,
  webhookSecretContext,
} from "./webhook-secret.ts";
export {
  HTTP_TARGETS,
  isAllowedAddress,
  isCidr,
  localhostAddresses,
  type TargetPolicy,
  targetFault,
  targetPolicy,
} from "./webhook-target.ts";
