import type { Span } from "#runtime";
import type { StreamMessage, UnreadReason } from "./message.ts";

/**
 * What became of one message. `Batch` turns it into an acknowledgement, a delay, a dead letter and a metric.
 * - done: its effects are durable.
 * - skip: nothing to do.
 * - retry: it could not be handled now. Only where messages need no order; it is handed out again after a while, alone.
 * - dead: it can never be handled, and becomes a dead letter.
 */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "retry"; readonly error: unknown }
  | { readonly kind: "dead"; readonly reason: string };

/** A batch whose effects are durable, and what is left to do about it. */
export interface HandledBatch {
  /** One for each message, in their order. */
  readonly outcomes: readonly Outcome[];
  /**
   * Publishes what follows from the batch, under ids that make repeating it harmless. Of an owned hop it runs beside the
   * next batch.
   */
  publish?(): Promise<void>;
  /** All of it is published, its dead letters too. */
  published?(): void;
}

/**
 * Makes the effects of a batch durable. Of an owned hop its messages come in the order of their streams, and the position
 * behind them is committed together with the effects; throwing `LostPartitions` means that some of it is somebody else's.
 * Throwing anything else means that the whole batch is to be tried again. The span is that of the batch, until it is
 * published; undefined where it is not traced.
 */
export type BatchHandler = (
  batch: readonly StreamMessage[],
  span?: Span | undefined,
) => Promise<HandledBatch>;

/** Likewise of one message. */
export type MessageHandler = (message: StreamMessage) => Promise<Outcome>;

/** For messages that have nothing to do with each other: those of a batch side by side. One that throws is tried again. */
export function eachMessage(handler: MessageHandler): BatchHandler {
  return async (messages) => {
    const results = await Promise.allSettled(messages.map((message) => handler(message)));
    return {
      outcomes: results.map((result): Outcome => {
        if (result.status === "rejected") return { kind: "retry", error: result.reason };
        return result.value;
      }),
    };
  };
}

const DONE: Outcome = { kind: "done" };

/** What the loop is told of a packed message: done whatever became of its entries, dead if it has none. */
export function toOutcome(fault: UnreadReason | undefined): Outcome {
  return fault === undefined ? DONE : { kind: "dead", reason: fault };
}

/** These partitions are not this process's any more, or it does not know where they stand. Nothing was committed. */
export class LostPartitions extends Error {
  readonly partitions: readonly number[];

  constructor(partitions: readonly number[], cause?: unknown) {
    super(`partitions ${partitions.join(", ")} are to be taken over anew`, { cause });
    this.name = "LostPartitions";
    this.partitions = partitions;
  }
}

/** The metrics of a loop. */
export interface LoopObserver {
  outcome(outcome: Exclude<Outcome["kind"], "retry">, reason: string): void;
  /** A batch, or one message of it, failed and is tried again. */
  retried(error: unknown): void;
}
