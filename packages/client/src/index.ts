/** The TypeScript SDK for integrators and for retailers. */
export {
  type Answer,
  type CallOptions,
  type IngestOptions,
  type IngestResult,
  isRepeatable,
  StampedeClient,
  toIngestResult,
} from "./client.ts";
export type { ClientOptions } from "./connection.ts";
export { PlatformClient } from "./platform-client.ts";
export type { Retry } from "./retry.ts";
export { type FailureCode, StampedeError } from "./stampede-error.ts";
export type {
  AcceptedOutcome,
  EventOutcome,
  EventResult,
  OutcomeCounts,
  RejectedOutcome,
} from "./stream/event-outcome.ts";
export type { MemberOptions, MemberResolver } from "./stream/member-resolver.ts";
export type { CloseOptions, EventSource, EventStream, StreamOptions } from "./stream/stream-options.ts";
export { UndeliveredError, UnheardRejectionsError } from "./stream/undelivered-error.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "./verify-webhook.ts";
