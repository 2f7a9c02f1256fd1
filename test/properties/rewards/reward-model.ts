import type { Known, Sent, Terms } from "./history.ts";

/** The stored values that a message finds when it arrives. */
export interface View {
  known(ref: string): Known;
  /** Undefined and null: no program. */
  termsAt(index: number): Terms | null | undefined;
  /** The index of the terms in force. */
  readonly termsIndex: number;
}

/** The result of an arrival: the state afterwards, and the events, a line each. */
export interface Step<S> {
  readonly after: S;
  readonly lines: readonly string[];
}

/** How one kind of target (a stamp collection, a clip) responds to messages. */
export interface RewardModel<S> {
  readonly start: S;
  /** Undefined: the model ignores it. */
  outcome(state: S, view: View, sent: Sent): Step<S> | undefined;
  settlement(state: S, view: View, ref: string): Step<S>;
  /** What is missing once all of `due` and every settlement has arrived; undefined if nothing is. */
  owed(state: S, view: View, due: readonly Sent[]): string | undefined;
  /** The rows of the database, in words. */
  show(state: S): string;
}

/** `cashback.created c1 A 450 EUR`: cashbacks are numbered as they come, one for each redemption. */
export function cashbackLine(type: string, number: number, ref: string, worth: string): string {
  return `cashback.${type} c${number} ${ref} ${worth}`;
}
