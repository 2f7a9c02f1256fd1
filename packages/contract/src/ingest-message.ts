import type { BatchEvent, EventOutcome, Rejection, TransactionState } from "#domain";
import type { IgnoredEvent, RejectedEvent } from "./schemas/transaction.ts";

/** What a message (`codec/ingest-codec.ts`) has of one request. */
export interface IngestPart {
  /** UUID of the request's batch. The integrator sees its id when the request is answered 202. */
  readonly batch: string;
  readonly organisation: string;
  /**
   * Whether the caller waits for the outcome. If not, webhooks are told of what was rejected.
   */
  readonly awaited: boolean;
  /** How many events the whole request has. For ingest of the version before, until no installation has one. */
  readonly batchEvents: number;
  /** How many of the message's events are this request's. */
  readonly events: number;
  /**
   * The caller wants to know what became of each event (`prefer: return=representation`). Not there if not: it would cost
   * every other request its bytes.
   */
  readonly detailed?: true | undefined;
}

/** What became of one event, as an answer writes it. */
export const OUTCOME_LETTERS = {
  created: "c",
  updated: "u",
  unchanged: "n",
  rejected: "r",
} as const satisfies Record<EventOutcome["kind"], string>;

/** What became of the events of one request in one message. */
export interface PartOutcome {
  readonly batch: string;
  /** The place in its request of the part's first event: tells the parts of one request apart. */
  readonly first: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: readonly RejectedInPart[];
  /** The first `LIMITS.ignoredEvents` of the events with ignored fields; all of them if the part is `detailed`. */
  readonly ignored: readonly IgnoredInPart[];
  /** How many events had ignored fields. They are counted in `updated` and `unchanged` too. */
  readonly ignoredCount: number;
  /**
   * One of `OUTCOME_LETTERS` for each event of the part, in their order. Only where the part is `detailed`, and its reporter
   * is of a version that knows this; not where an event became a dead letter.
   */
  readonly outcomes?: string | undefined;
}

/** `index` is the event's place in its request. */
export type RejectedInPart = Rejection & { readonly index: number; readonly externalId: string };

/** An event of a known transaction that differs in fields which it may not change any more. */
export interface IgnoredInPart {
  /** The event's place in its request. */
  readonly index: number;
  readonly externalId: string;
  readonly fields: readonly string[];
}

/** An event with ignored fields, as the API shows it. */
export function toIgnoredEvent({ index, externalId, fields }: IgnoredInPart): IgnoredEvent {
  return { index, external_id: externalId, fields: [...fields] };
}

/** A rejected event, as the API shows it. */
export function toRejectedEvent(rejection: RejectedInPart): RejectedEvent {
  const { index, externalId, ...rest } = rejection;
  return { index, external_id: externalId, ...rest };
}

/** Sent to the edge once the events of a message are committed. */
export interface IngestReply {
  /**
   * Subject of an ingest process of the version before, which wants an `IngestConfirmation` of these parts; empty of any other.
   */
  readonly confirm: string;
  readonly parts: readonly PartOutcome[];
  /**
   * Parts that are committed and of which there is nothing to report, because no caller waits or the result is no longer known: an
   * edge bounds what is in the stream and not committed.
   */
  readonly committed?: readonly PartKey[] | undefined;
}

/** Names a part: its batch, and the place in the request of its first event (`PartOutcome.first`). */
export type PartKey = readonly [batch: string, first: number];

/** Sent to an ingest process of the version before that reported these parts. */
export interface IngestConfirmation {
  /** Parts of which the answer told the caller the outcome. */
  readonly told: readonly PartKey[];
  /** None: what it would record for the others is never read. */
  readonly late: readonly PartKey[];
}

/**
 * Tells the reward engine of a clearing, a reversal, or (`authorized`) an amount or currency that became
 * known. The engine reads everything else from the transaction's row. So a settlement says only which row to
 * look at, and any number of equal ones mean the same. There is none about a transaction that cannot have
 * earned anything: not about a new one of a single event, in any state, because an outcome reads the row itself; and not
 * about one whose member never had an enrolment or a clip.
 */
export interface Settlement {
  /** UUID. */
  readonly transaction: string;
  /** UUID. */
  readonly organisation: string;
  readonly state: TransactionState;
}

/** One stream message: the settlements of one batch. */
export interface SettlementMessage {
  readonly v: 1;
  readonly settlements: readonly Settlement[];
}

/**
 * What is kept of something that can never be handled. It holds no card data: identifiers were hashed before,
 * and of a message that could not even be read only its place in the stream is kept.
 */
export interface DeadLetter {
  /**
   * - `unreadable_message`: not JSON.
   * - `poison_event`, `refused_by_database`: the database refuses the event.
   * - `invalid_message`, `invalid_outcome`, `invalid_record`: another system wrote it, and not as its schema
   *   says.
   * - `unreadable_letter`: what stands in the stream of dead letters is none.
   */
  readonly reason: string;
  /** The stream that it came from, the partition (0 where there is none) and the sequence there. */
  readonly hop: string;
  readonly partition: number;
  readonly sequence: number;
  /** SQLSTATE, where the database refused. */
  readonly error?: string;
  /* What the letter is about: one of the following. Without any of the first three, it cannot be put back. */
  /** The event, as the row that it would have made. */
  readonly row?: BatchEvent;
  /** The value that came in the place of an `Outcome`, unchanged. */
  readonly outcome?: unknown;
  readonly settlement?: Settlement;
  /** As the record for the platform names it. Nothing else of a record is kept, so it cannot be put back. */
  readonly transactionId?: string;
}

/**
 * A message that puts dead events back: as rows, because the raw events are gone. It travels in the same
 * streams as ingest messages, and no caller waits for its outcome.
 */
export interface RedriveMessage {
  readonly v: 1;
  readonly rows: readonly BatchEvent[];
}
