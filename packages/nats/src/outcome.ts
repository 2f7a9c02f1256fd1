/**
 * What became of one message. The loop turns it into an acknowledgement or a position, a dead letter and a metric.
 * - done: its effects are durable.
 * - skip: nothing to do.
 * - dead: it can never be handled, and becomes a dead letter.
 */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "dead"; readonly reason: string };

export interface LoopObserver {
  outcome(outcome: Outcome["kind"], reason: string): void;
  /** A batch failed and is tried again. */
  retried(error: unknown): void;
}
