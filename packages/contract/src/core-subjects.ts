/** From an ingest process that gives up partitions. It may get lost: the others also look periodically. */
export const PARTITIONS_KICK_SUBJECT = "partitions.kick";

/**
 * Answered by all processes that own partitions: they name their database. One subject for each database:
 * ingest and rewards of two databases must not share the streams of one.
 */
export const OWNERS_SUBJECTS = { publisher: "owners.publisher", platform: "owners.platform" } as const;

/** From ingest to the edge that published the message: the result of its events. A late one is useless. */
export const REPLY_SUBJECT = "reply";

/** From an edge that revoked a token to all edges, which empty their memory and confirm it. */
export const REVOKED_SUBJECT = "tokens.revoked";

/** Core NATS: events for webhooks were committed. It may get lost: dispatchers also look periodically. */
export const EVENTS_KICK_SUBJECT = "events.committed";

/** Core NATS, answered: one process of the webhooks service makes the attempt of a `webhook/test`. */
export const WEBHOOK_TEST_SUBJECT = "webhook.test";

/** All messages between services that are not in `FLOW`. Rights on subjects are made from both tables. */
export const CORE_SUBJECTS: readonly CoreSubject[] = [
  { subject: REPLY_SUBJECT, perProcess: true, from: ["ingest"], to: ["edge"], isAnswered: false },
  { subject: REVOKED_SUBJECT, perProcess: false, from: ["edge"], to: ["edge"], isAnswered: true },
  {
    subject: PARTITIONS_KICK_SUBJECT,
    perProcess: false,
    from: ["ingest"],
    to: ["ingest"],
    isAnswered: false,
  },
  {
    subject: OWNERS_SUBJECTS.publisher,
    perProcess: false,
    from: ["ingest", "rewards"],
    to: ["ingest", "rewards"],
    isAnswered: true,
  },
  {
    subject: OWNERS_SUBJECTS.platform,
    perProcess: false,
    from: ["platform"],
    to: ["platform"],
    isAnswered: true,
  },
  {
    subject: EVENTS_KICK_SUBJECT,
    perProcess: false,
    from: ["ingest", "rewards"],
    to: ["webhooks"],
    isAnswered: false,
  },
  { subject: WEBHOOK_TEST_SUBJECT, perProcess: false, from: ["edge"], to: ["webhooks"], isAnswered: true },
];

/** A core NATS message: it is never stored, and a process that does not listen misses it. */
interface CoreSubject {
  readonly subject: string;
  /** The subject has one more token, which names the receiving process. */
  readonly perProcess: boolean;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Its receiver answers to the sender's inbox. */
  readonly isAnswered: boolean;
}

/** The edge's request, once it knows that the organisation has this webhook. */
export interface WebhookTestRequest {
  /** UUID. */
  readonly organisation: string;
  /** UUID. */
  readonly webhook: string;
  /** The request's span, if it is traced. */
  readonly traceparent?: string | undefined;
}

/** The result of the attempt. The answer is null if the webhook is gone. */
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
