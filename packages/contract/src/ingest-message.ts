import type { EventOutcome, Rejection, TransactionState } from "#domain";
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
   * Parts that are committed and of which there is nothing to report, because nobody waits or it is not known any more: an
   * edge bounds what is in the stream and not committed.
   */
  readonly committed?: readonly PartKey[] | undefined;
}

/** Names a part: its batch, and the place in the request of its first event (`PartOutcome.first`). */
export type PartKey = readonly [batch: string, first: number];

/** Sent to an ingest process of the version before that reported these parts. */
export interface IngestConfirmation {
  /** Parts whose outcome the answer told the caller. */
  readonly told: readonly PartKey[];
  /** None: what it would record for the others is asked for by nobody. */
  readonly late: readonly PartKey[];
}

/**
 * Tells the reward engine of a clearing, a reversal, or (`authorized`) an amount or currency that became
 * known. The engine reads everything else from the transaction's row. So a settlement says only which row to
 * look at, and any number of equal ones mean the same. There is none about a transaction that cannot have
 * earned anything: not about a new one of a single event, whatever its state, because an outcome reads the row itself; and not
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
