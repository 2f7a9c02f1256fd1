import type { RejectedEvent } from "../generated/publisher-api.ts";

/**
 * The outcome of one event. Each but `accepted` is final, and committed if it changed anything.
 *
 * - `created`: it is the first of its transaction.
 * - `updated`: its transaction has changed.
 * - `unchanged`: the event changed nothing: it said nothing new, or its new fields are in `ignored`. A
 *   repeated request also gets it for events that its first attempt wrote, if the answer to that attempt was
 *   lost.
 * - `rejected`: the event was refused and changed nothing.
 * - `accepted`: the event is stored durably and will be applied.
 */
export type EventOutcome =
  | ({ readonly outcome: "created" } & Ignored)
  | ({ readonly outcome: "updated" } & Ignored)
  | ({ readonly outcome: "unchanged" } & Ignored)
  | RejectedOutcome
  | AcceptedOutcome;

/** The fields of an event that the service ignored. */
export interface Ignored {
  /**
   * The fields that differ from the stored ones and were not taken, such as another `amount` of a known
   * transaction: it changes with the clearing or reversal alone. Absent if there are none. For
   * reconciliation: the two sides disagree.
   */
  readonly ignored?: readonly string[];
}

/** An event that was refused. All other events of its request are applied. */
export interface RejectedOutcome {
  readonly outcome: "rejected";
  /**
   * `bad_request`: the event is malformed. The client did not send it, unless only the service knows the fault.
   * `conflict`, `not_found`: it contradicts what is stored, or its member does not exist.
   */
  readonly code: "bad_request" | RejectedEvent["code"];
  /**
   * For `bad_request` the fault, in words, without the value: `must match ^[0-9]{6,8}$`. Otherwise a name for
   * programs: `invalid_transition`, `identity_mismatch`, `past_retention`, `not_found`.
   */
  readonly reason: string;
  /** For `bad_request`: JSON pointer into the event, such as `/bin`; "" for the event itself. */
  readonly path?: string;
  /** For `invalid_transition`: the stored state, and the requested one. */
  readonly from?: string;
  readonly to?: string;
  /** For `identity_mismatch`: `member_id` or `card`. */
  readonly field?: string;
}

export interface AcceptedOutcome extends Ignored {
  readonly outcome: "accepted";
  /**
   * The id for `transaction.batch/get`. Null: the service is older than this client. It has applied and
   * committed the event, but does not say whether that created or changed anything.
   */
  readonly batch_id: string | null;
}

/** An event and its outcome. */
export interface EventResult<E> {
  readonly event: E;
  readonly outcome: EventOutcome;
}

/**
 * How many events had each outcome; and how many of them, also counted under their outcome, had `ignored`
 * fields.
 */
export type OutcomeCounts = Readonly<Record<EventOutcome["outcome"] | "ignored", number>>;
