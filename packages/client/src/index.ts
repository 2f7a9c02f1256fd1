/** The TypeScript SDK for integrators and for retailers. */
export type {
  Answer,
  ListRouteName,
  PlatformAnswer,
  PlatformListRouteName,
  PlatformRecordOf,
  PlatformRequestOf,
  PlatformRouteName,
  RecordOf,
  RequestOf,
  RouteName,
} from "./api-types.ts";
export { type CallOptions, type IngestOptions, isRepeatable, StampedeClient } from "./client.ts";
export type { ClientOptions } from "./connection.ts";
/** The platform's records, which have names of their own there. */
export type * as PlatformTypes from "./generated/platform-api.ts";
export type * from "./generated/publisher-api.ts";
export { ERROR_STATUS, EVENT_TYPES, LIMITS } from "./generated/publisher-api.ts";
export {
  type IngestProcessed,
  type IngestRejected,
  type IngestResult,
  toIngestResult,
} from "./ingest-result.ts";
export { PlatformClient } from "./platform-client.ts";
export type { Retry } from "./retry.ts";
export { type FailureCode, StampedeError } from "./stampede-error.ts";
export type {
  AcceptedOutcome,
  EventOutcome,
  EventResult,
  Ignored,
  OutcomeCounts,
  RejectedOutcome,
} from "./stream/event-outcome.ts";
export type { MemberOptions, MemberResolver } from "./stream/member-resolver.ts";
export type { CloseOptions, EventSource, EventStream, StreamOptions } from "./stream/stream-options.ts";
export { type RejectedResult, UndeliveredError, UnheardRejectionsError } from "./stream/undelivered-error.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "./verify-webhook.ts";
export {
  type DeliveryInfo,
  type WebhookHandler,
  type WebhookHandlerOptions,
  webhookHandler,
} from "./webhook-handler.ts";
