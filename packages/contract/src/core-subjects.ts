import { CONFIRM_SUBJECT, PARTITIONS_KICK_SUBJECT, REPLY_SUBJECT } from "./flow.ts";
import { EVENTS_KICK_SUBJECT, WEBHOOK_TEST_SUBJECT } from "./webhook-messages.ts";

/** A core NATS message: it is never stored, and whoever does not listen misses it. */
interface CoreSubject {
  readonly subject: string;
  /** The subject has one token more, which names the process that is meant. */
  readonly perProcess: boolean;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Whoever hears it answers to the asker's inbox. */
  readonly isAnswered: boolean;
}

/**
 * From an edge that revoked a token to all edges, which forget the tokens they keep in memory and each say
 * that they did.
 */
export const REVOKED_SUBJECT = "tokens.revoked";

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
    subject: EVENTS_KICK_SUBJECT,
    perProcess: false,
    from: ["ingest", "rewards"],
    to: ["webhooks"],
    isAnswered: false,
  },
  { subject: WEBHOOK_TEST_SUBJECT, perProcess: false, from: ["edge"], to: ["webhooks"], isAnswered: true },
];
