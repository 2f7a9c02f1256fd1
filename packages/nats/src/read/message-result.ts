import type { Span } from "#runtime";
import type { CountLost } from "./lost-messages.ts";
import type { StreamMessage, UnreadReason } from "./message.ts";

/**
 * The result of one message. `Batch` turns it into progress, a delay, a dead letter and a metric.
 * - done: its effects are durable.
 * - skip: there was nothing to do.
 * - retry: it could not be handled now, and is handed out again after a while, alone. Only if messages
 *   need no order.
 * - dead: it can never be handled, and becomes a dead letter.
 */
export type MessageResult =
  | { readonly kind: "done" }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "retry"; readonly error: unknown }
  | { readonly kind: "dead"; readonly reason: string };

/** The result of a message that does not come again. */
export type FinalResult = Exclude<MessageResult, { readonly kind: "retry" }>;

/** A batch with durable effects. */
export interface HandledBatch {
  /** The result of each message, in the order of the messages. */
  readonly results: readonly MessageResult[];
}

/**
 * For an unordered hop: makes the effects of a batch durable. If it throws, each message is handed out again,
 * alone. The span is that of the batch; undefined: nothing is traced.
 */
export type BatchHandler = (
  batch: readonly StreamMessage[],
  span?: Span | undefined,
) => Promise<HandledBatch>;

/** The same for one message. */
export type MessageHandler = (message: StreamMessage) => Promise<MessageResult>;

/**
 * For independent messages: handles those of a batch concurrently. A message whose handler throws is tried
 * again.
 */
export function eachMessage(handler: MessageHandler): BatchHandler {
  return async (messages) => {
    const settled = await Promise.allSettled(messages.map((message) => handler(message)));
    return {
      results: settled.map((result): MessageResult => {
        if (result.status === "rejected") return { kind: "retry", error: result.reason };
        return result.value;
      }),
    };
  };
}

const DONE: MessageResult = { kind: "done" };

/** The result of a packed message: done with any results of its entries, dead if none could be read. */
export function toMessageResult(fault: UnreadReason | undefined): MessageResult {
  return fault === undefined ? DONE : { kind: "dead", reason: fault };
}

/** Other processes own these partitions, or their progress is unknown. Nothing was committed. */
export class LostPartitions extends Error {
  readonly partitions: readonly number[];

  constructor(partitions: readonly number[], cause?: unknown) {
    super(`partitions ${partitions.join(", ")} have to be taken over again`, { cause });
    this.name = "LostPartitions";
    this.partitions = partitions;
  }
}

/** The consequences of these partitions' messages are not published; those of the others are. */
export class UnpublishedPartitions extends Error {
  /** The error of each. */
  readonly failures: ReadonlyMap<number, unknown>;

  constructor(failures: ReadonlyMap<number, unknown>) {
    super(`partitions ${[...failures.keys()].join(", ")} are not published`);
    this.name = "UnpublishedPartitions";
    this.failures = failures;
  }
}

/** The metrics of a loop. */
export interface LoopObserver {
  outcome(kind: FinalResult["kind"], reason: string): void;
  /** A batch, or one of its messages, failed and is tried again. */
  retried(error: unknown): void;
  /** Messages after the place in the database are gone from the stream. Only for hops with a place. */
  readonly gap?: CountLost;
}
