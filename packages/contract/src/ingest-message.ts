import type { Rejection } from "#domain";
import type { IgnoredEvent, RejectedEvent, TransactionEvent } from "./schemas/transaction.ts";

/**
 * The packed ingest message: validated events of many requests on their way to one partition. Until it is
 * purged, it is the only place where `auth_code` and `bin` are stored.
 *
 * JSON, with events as arrays: half the bytes of objects, and one shape for every row.
 */
export interface IngestMessage {
  readonly v: 1;
  /** Subject that gets the outcome, as an `IngestReply`. */
  readonly reply: string;
  /** The requests that have events in this message, in the order of their events. */
  readonly parts: readonly IngestPart[];
  readonly events: readonly PackedEvent[];
}

export interface IngestPart {
  /** UUID of the request's batch. The integrator sees its id when the request is answered 202. */
  readonly batch: string;
  readonly organisation: string;
  /**
   * Whether the caller waits for the outcome. If nobody waits, the outcome is recorded for
   * `transaction.batch/get` at once; otherwise only if the edge does not confirm that the caller was told
   * (`IngestConfirmation`).
   */
  readonly awaited: boolean;
  /** How many events the whole request has. */
  readonly batchEvents: number;
  /** How many of the message's events are this request's. */
  readonly events: number;
}

export type PackedEvent = readonly [
  /** Its place in its request. */
  index: number,
  memberId: string,
  externalId: string,
  authCode: string,
  network: string,
  bin: string,
  merchantId: string,
  statementDescriptor: string | null,
  amount: number | null,
  currency: string | null,
  authedAt: string,
  clearedAt: string | null,
  revertedAt: string | null,
];

/**
 * Far above the length of any id of ours. A longer id is unknown, whatever it says, and must not swell a
 * stream message.
 */
const ID_LENGTH_MAX = 64;

/** One event as JSON text, for `packMessage`. */
export function packEvent(index: number, event: TransactionEvent): string {
  const packed: PackedEvent = [
    index,
    event.member_id.length > ID_LENGTH_MAX ? "" : event.member_id,
    event.external_id,
    event.auth_code,
    event.network,
    event.bin,
    event.merchant_id,
    event.statement_descriptor ?? null,
    event.amount ?? null,
    event.currency ?? null,
    event.authed_at,
    event.cleared_at ?? null,
    event.reverted_at ?? null,
  ];
  return JSON.stringify(packed);
}

/** @param events texts made by `packEvent`, in the order of their parts */
export function packMessage(reply: string, parts: readonly IngestPart[], events: readonly string[]): string {
  return `{"v":1,"reply":${JSON.stringify(reply)},"parts":${JSON.stringify(parts)},"events":[${events.join(",")}]}`;
}

/** What became of the events of one request in one message. */
export interface PartOutcome {
  readonly batch: string;
  /** The place in its request of the part's first event: tells the parts of one request apart. */
  readonly first: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: readonly RejectedInPart[];
  /** The first of the events with ignored fields, at most `LIMITS.ignoredEvents`. */
  readonly ignored: readonly IgnoredInPart[];
  /** How many events had ignored fields. They are counted in `updated` and `unchanged` too. */
  readonly ignoredCount: number;
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
   * Subject of the ingest process that gets an `IngestConfirmation` of these parts; empty if it wants none.
   */
  readonly confirm: string;
  readonly parts: readonly PartOutcome[];
}

/** Names a part: its batch, and the place in the request of its first event (`PartOutcome.first`). */
export type PartKey = readonly [batch: string, first: number];

/** Sent to the ingest process that reported these parts, once their requests are answered. */
export interface IngestConfirmation {
  /** Parts whose outcome the answer told the caller. */
  readonly told: readonly PartKey[];
  /** Parts whose outcome it did not (202, 500), or whose request nobody here knows: it is to be recorded. */
  readonly late: readonly PartKey[];
}
