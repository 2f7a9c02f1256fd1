import type { BatchEvent, EventResult, Rejection, TransactionState } from "#domain";
import type { IgnoredEvent, RejectedEvent } from "./schemas/transaction.ts";

/** The part of one request in a message (`codec/ingest-codec.ts`). */
export interface IngestPart {
  /** The UUID of the request's batch. The integrator sees its id if the answer is 202. */
  readonly batch: string;
  readonly organisation: string;
  /** Whether the caller waits for the outcome. If not, webhooks report the rejections. */
  readonly awaited: boolean;
  /** The number of the message's events that belong to this request. */
  readonly events: number;
  /**
   * The caller wants the outcome of each event (`prefer: return=representation`). Absent if not, because it
   * would cost every other request its bytes.
   */
  readonly detailed?: true | undefined;
}

/** The letter of each outcome in an answer. */
export const OUTCOME_LETTERS = {
  created: "c",
  updated: "u",
  unchanged: "n",
  rejected: "r",
} as const satisfies Record<EventResult["kind"], string>;

/** The outcome of the events of one request in one message. */
export interface PartResult {
  readonly batch: string;
  /** The place of the part's first event in its request: distinguishes the parts of one request. */
  readonly first: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: readonly RejectedInPart[];
  /** The first `LIMITS.ignoredEvents` of the events with ignored fields; all of them if the part is `detailed`. */
  readonly ignored: readonly IgnoredInPart[];
  /** The number of events with ignored fields. They also count in `updated` and `unchanged`. */
  readonly ignoredCount: number;
  /**
   * One of `OUTCOME_LETTERS` for each event of the part, in their order. Only if the part is `detailed`; not
   * if an event became a dead letter.
   */
  readonly outcomes?: string | undefined;
}

/** `index` is the event's place in its request. */
export type RejectedInPart = Rejection & { readonly index: number; readonly externalId: string };

/** An event of a known transaction with other values in fields that may not change any more. */
export interface IgnoredInPart {
  /** The event's place in its request. */
  readonly index: number;
  readonly externalId: string;
  readonly fields: readonly string[];
}

/** An event with ignored fields, in the form of the API. */
export function toIgnoredEvent({ index, externalId, fields }: IgnoredInPart): IgnoredEvent {
  return { index, external_id: externalId, fields: [...fields] };
}

/** A rejected event, in the form of the API. */
export function toRejectedEvent(rejection: RejectedInPart): RejectedEvent {
  const { index, externalId, ...rest } = rejection;
  return { index, external_id: externalId, ...rest };
}

/** Sent to the edge once the events of a message are committed. */
export interface IngestReply {
  readonly parts: readonly PartResult[];
  /**
   * Committed parts without a report, because no caller waits or the result is no longer known: an edge
   * bounds its uncommitted events in the stream.
   */
  readonly committed?: readonly PartKey[] | undefined;
}

/** Names a part: its batch, and the place in the request of its first event (`PartResult.first`). */
export type PartKey = readonly [batch: string, first: number];

/**
 * Reports to the reward engine a clearing, a reversal, or (`authorized`) an amount or currency that became
 * known. The engine reads everything else from the transaction's row. So a settlement only names the row, and
 * any number of equal ones mean the same. Transactions that cannot have earned anything have none: a new one
 * of a single event, in any state, because an outcome reads the row itself; and one whose member never had an
 * enrolment or a clip.
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
 * The stored content of something that can never be handled. It holds no card data: identifiers were hashed
 * before, and of an unreadable message only its place in the stream is kept.
 */
export interface DeadLetter {
  /**
   * - `unreadable_message`: not JSON.
   * - `poison_event`, `refused_by_database`: the database refuses the event.
   * - `invalid_message`, `invalid_outcome`, `invalid_settlement`, `invalid_record`: another system wrote it,
   *   and it does not match its schema.
   * - `unreadable_letter`: the message in the stream of dead letters is no letter.
   */
  readonly reason: string;
  /** The stream of the message, the partition (0 if there is none) and the sequence there. */
  readonly hop: string;
  readonly partition: number;
  readonly sequence: number;
  /** SQLSTATE, if the database refused it. */
  readonly error?: string;
  /*
   * The content of the letter: one of the following. Without any of the first three, it cannot be put back.
   */
  /** The event, as the row that it would have created. */
  readonly row?: BatchEvent;
  /** The value that was received as an `Outcome`, unchanged. */
  readonly outcome?: unknown;
  readonly settlement?: Settlement;
  /**
   * The transaction's id in the record for the platform. Nothing else of a record is kept, so it cannot be
   * put back.
   */
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
