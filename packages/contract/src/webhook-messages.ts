/**
 * Core NATS: events for webhooks were committed. It carries nothing and may get lost: dispatchers also look
 * by themselves.
 */
export const EVENTS_KICK_SUBJECT = "events.committed";

/**
 * Core NATS, with an answer: one of the processes of the webhooks service makes the attempt that
 * `webhook/test` asks for.
 */
export const WEBHOOK_TEST_SUBJECT = "webhook.test";

/** What the edge asks, once it knows that the organisation has this webhook. */
export interface WebhookTestRequest {
  /** UUID. */
  readonly organisation: string;
  /** UUID. */
  readonly webhook: string;
  /** Of the request's span, where it is traced. */
  readonly traceparent?: string | undefined;
}

/** What became of the attempt. The answer is null where the webhook is gone. */
export interface WebhookTestResult {
  /** UUID; as a TypeID it is the `webhook-id` header. */
  readonly deliveryId: string;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Null: delivered. */
  readonly errorClass: string | null;
  /** The beginning of the answer's body, at most 4 KiB. */
  readonly answer: string | null;
  readonly durationMs: number;
}
