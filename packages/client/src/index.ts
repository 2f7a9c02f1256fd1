/** The TypeScript SDK for integrators and for retailers. */
export type { Answer } from "./answer.ts";
export { type CallOptions, type IngestOptions, StampedeClient } from "./client.ts";
export type { ClientOptions } from "./connection.ts";
export { type IngestResult, toIngestResult } from "./ingest-result.ts";
export { PlatformClient } from "./platform-client.ts";
export { isRepeatable } from "./repeatable.ts";
export type { Retry } from "./retry.ts";
export { type FailureCode, StampedeError } from "./stampede-error.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "./verify-webhook.ts";
