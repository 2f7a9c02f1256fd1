/** Core NATS: events for webhooks were committed. It says nothing more, and may get lost: dispatchers also look by themselves. */
export const EVENTS_KICK_SUBJECT = "events.committed";

/** Core NATS, with an answer: one of the webhooks processes makes the attempt that `webhook/test` asks for. */
export const WEBHOOK_TEST_SUBJECT = "webhook.test";

/** What the edge asks for, once it knows that the organisation has this webhook. */
export interface WebhookTestRequest {
  /** UUID. */
  readonly organisation: string;
  /** UUID. */
  readonly webhook: string;
  /** Of the request, where it is traced. */
  readonly traceparent?: string | undefined;
}

/** What the attempt came to. Null is answered where the webhook is gone. */
export interface WebhookTestResult {
  /** UUID, of which the `webhook-id` header is the TypeID. */
  readonly deliveryId: string;
  /** HTTP status; null where there was none. */
  readonly status: number | null;
  /** null: delivered. */
  readonly errorClass: string | null;
  /** At most 4 KiB. */
  readonly answer: string | null;
  readonly durationMs: number;
}
