export { canonicalJson } from "./canonical-json.ts";
export { holdsCardNumber } from "./card-number.ts";
export { isCurrency } from "./currency.ts";
export { hashTokenSecret } from "./hash-token-secret.ts";
export { type CardData, NETWORKS, type Network, transactionIdentifiers } from "./identifiers.ts";
export {
  applyEvent,
  type Decision,
  type Rejection,
  STATES,
  stateOf,
  type Transaction,
  type TransactionEvent,
  type TransactionState,
} from "./lifecycle.ts";
export { partitionOf } from "./partition.ts";
export { retryDelayMs } from "./retry.ts";
export { isTimestamp, toUtcMicroseconds } from "./timestamp.ts";
export { type Bucket, type BucketRate, type Taken, takeToken } from "./token-bucket.ts";
export { createTokenSecret, isTokenSecret } from "./token-secret.ts";
export { decodeId, encodeId, ID_PREFIXES, type IdPrefix } from "./typeid.ts";
export { RANDOM_BYTES_PER_UUID, uuidBatch } from "./uuid-batch.ts";
export { createWebhookSecret, webhookSecretBytes, webhookSecretContext } from "./webhook-secret.ts";
export {
  HTTP_TARGETS,
  type HttpTargets,
  isAllowedAddress,
  isCidr,
  type TargetPolicy,
  targetFault,
  targetPolicy,
} from "./webhook-target.ts";
