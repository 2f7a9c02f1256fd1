/*
 * The input of the rewards model: everything that was sent, in the order of sending. The test does not see when
 * and in which order it arrived; the search in explain.ts finds that out.
 */

export type PurchaseState = "authorized" | "cleared" | "reverted";

/** Amounts are in minor units. */
export interface Money {
  readonly amount: number | null;
  readonly currency: string | null;
}

/** The stored fields of a transaction that matter. */
export interface Known extends Money {
  readonly state: PurchaseState;
}

/** A program as configured; `fixed` is its reward, null for one that gives the purchase back. */
export interface Terms {
  readonly threshold: number;
  readonly fixed: number | null;
  readonly currency: string | null;
}

/**
 * A value from some moment on. Moments count the stored values of one run: a message sent at this moment or
 * later finds the value stored, because it was sent only after the value was answered. It may be seen a
 * little earlier as well, but not in an earlier phase: everything had come to rest in between.
 */
export interface Version<T> {
  readonly value: T;
  readonly moment: number;
  readonly phase: number;
}

/** An outcome that was sent at this moment, and perhaps again later. */
export interface Sent {
  readonly ref: string;
  readonly money: Money;
  /** The terms by which the outcome says it was judged; absent: those of the program decide. */
  readonly carried?: Terms | undefined;
  readonly moment: number;
  readonly phase: number;
}

/** Everything that can matter to one stamp collection or clip. */
export interface History {
  /** By `external_id`, the transactions in `outcomes`; every version but the first has its settlement. */
  readonly purchases: ReadonlyMap<string, readonly Version<Known>[]>;
  /** The terms of its program; null once that is removed. A clip has none. */
  readonly terms: readonly Version<Terms | null>[];
  readonly outcomes: readonly Sent[];
}

/**
 * The lifecycle (contract, section 6) in short. Returns the new stored state, the same object if nothing
 * changes, and undefined if the event is rejected.
 */
export function store(before: Known | undefined, event: Known): Known | undefined {
  if (before === undefined) return event;
  const isFinal = before.state !== "authorized";
  if (isFinal && event.state !== "authorized" && event.state !== before.state) return undefined;
  const settles = !isFinal && event.state !== "authorized";
  const amount = settles ? (event.amount ?? before.amount) : (before.amount ?? event.amount);
  const currency = settles ? (event.currency ?? before.currency) : (before.currency ?? event.currency);
  if (!settles && amount === before.amount && currency === before.currency) return before;
  return { state: settles ? event.state : before.state, amount, currency };
}
