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
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "./verify-webhook.ts";
