import type { RejectedEvent } from "../generated/publisher-api.ts";

/**
 * What became of one event. Each but `accepted` is final, and committed where it changed anything.
 *
 * - `created`: it is the first of its transaction.
 * - `updated`: its transaction has changed.
 * - `unchanged`: nothing of it was taken: it said nothing new, or what it said is in `ignored`. Also what a repeated request is told of what its first attempt, the
 *   answer of which was lost, has already written.
 * - `rejected`: it was refused and changed nothing.
 * - `accepted`: it is stored durably and will be applied.
 */
export type EventOutcome =
  | ({ readonly outcome: "created" } & Ignored)
  | ({ readonly outcome: "updated" } & Ignored)
  | ({ readonly outcome: "unchanged" } & Ignored)
  | RejectedOutcome
  | AcceptedOutcome;

/** What an event said that was not taken. */
export interface Ignored {
  /**
   * The fields that differ from what is stored and were not taken, such as another `amount` of a transaction that is known:
   * it changes with the clearing or reversal alone. Absent if there are none. For reconciliation: the two sides disagree.
   */
  readonly ignored?: readonly string[];
}

/** An event that was refused. All others of its request are applied all the same. */
export interface RejectedOutcome {
  readonly outcome: "rejected";
  /**
   * `bad_request`: the event is malformed; it was not even sent, unless the service knows better.
   * `conflict`, `not_found`: it contradicts what is stored, or its member does not exist.
   */
  readonly code: "bad_request" | RejectedEvent["code"];
  /**
   * Of `bad_request` what is wrong, in words, without the value: `must match ^[0-9]{6,8}$`. Otherwise a name
   * for programs: `invalid_transition`, `identity_mismatch`, `past_retention`, `not_found`.
   */
  readonly reason: string;
  /** Of `bad_request`: JSON pointer into the event, such as `/bin`; "" for the event itself. */
  readonly path?: string;
  /** Of `invalid_transition`: the state that is stored, and the one that was asked for. */
  readonly from?: string;
  readonly to?: string;
  /** Of `identity_mismatch`: `member_id` or `card`. */
  readonly field?: string;
}

export interface AcceptedOutcome extends Ignored {
  readonly outcome: "accepted";
  /**
   * What `transaction.batch/get` is asked with. Null: the service is older than this client. It has applied
   * and committed the event, and does not say whether that created or changed anything.
   */
  readonly batch_id: string | null;
}

/** An event beside what became of it. */
export interface EventResult<E> {
  readonly event: E;
  readonly outcome: EventOutcome;
}

/** How many events had each outcome; and of how many, counted there as well, something was `ignored`. */
export type OutcomeCounts = Readonly<Record<EventOutcome["outcome"] | "ignored", number>>;
