/** From an ingest process that gives up partitions. It may get lost: the others also look by themselves. */
export const PARTITIONS_KICK_SUBJECT = "partitions.kick";

/**
 * Answered by all processes that own partitions: in which database. One subject for each database: ingest and rewards of
 * two databases must not share the streams of one either.
 */
export const OWNERS_SUBJECTS = { publisher: "owners.publisher", platform: "owners.platform" } as const;

/** From ingest to the edge that published the message: the result of its events. A late one is useless. */
export const REPLY_SUBJECT = "reply";

/**
 * From that edge back to ingest of the version before, which keeps the outcome until then: that the caller was told. It goes
 * when no installation has one.
 */
export const CONFIRM_SUBJECT = "confirm";

/** From an edge that revoked a token to all edges, which forget those in memory and say that they did. */
export const REVOKED_SUBJECT = "tokens.revoked";

/** Core NATS: events for webhooks were committed. It may get lost: dispatchers also look by themselves. */
export const EVENTS_KICK_SUBJECT = "events.committed";

/** Core NATS, answered: one process of the webhooks service makes the attempt of a `webhook/test`. */
export const WEBHOOK_TEST_SUBJECT = "webhook.test";

/** Everything that services say to each other beside `FLOW`. Rights on subjects are made from both tables. */
export const CORE_SUBJECTS: readonly CoreSubject[] = [
  { subject: REPLY_SUBJECT, perProcess: true, from: ["ingest"], to: ["edge"], isAnswered: false },
  { subject: CONFIRM_SUBJECT, perProcess: true, from: ["edge"], to: ["ingest"], isAnswered: false },
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
  /** The subject has one token more, which names the process that is meant. */
  readonly perProcess: boolean;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Its receiver answers to the sender's inbox. */
  readonly isAnswered: boolean;
}

/** What the edge asks, once it knows that the organisation has this webhook. */
export interface WebhookTestRequest {
  /** UUID. */
  readonly organisation: string;
  /** UUID. */
  readonly webhook: string;
  /** The request's span, if it is traced. */
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
