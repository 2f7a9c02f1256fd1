import type { Outcome, UnreadReason } from "#nats";

const DONE: Outcome = { kind: "done" };

/** What the loop is told of a packed message: done whatever became of its entries, dead if it has none. */
export function toOutcome(fault: UnreadReason | undefined): Outcome {
  return fault === undefined ? DONE : { kind: "dead", reason: fault };
}
