import type { Span } from "#runtime";
import type { StreamMessage } from "./message.ts";
import type { FinalResult } from "./message-result.ts";

/** The steps of an ordered hop for a batch, in this order. Its messages are in the order of their streams. */
export interface OrderedSteps<Prepared, Committed extends CommittedMessages> {
  /** The work that can be done ahead of its turn, while the previous batch is being committed. */
  prepare(messages: readonly StreamMessage[]): Promise<Prepared>;
  /**
   * Makes the effects durable, together with the new position. The span is that of the batch, which lasts
   * until it is published; undefined: nothing is traced.
   * @throws LostPartitions if another process owns some of the partitions by now; after any other error the
   * batch is tried again
   */
  commit(batch: PreparedMessages<Prepared>, span: Span | undefined): Promise<Committed>;
  /** Answers the waiting callers. */
  answer(batch: Committed): void;
  /**
   * Publishes the consequences, under ids that make repeating it harmless.
   * @param again the partitions that failed before; undefined: the first attempt, of all
   * @throws UnpublishedPartitions if only some failed; any other error: all
   */
  publish(batch: Committed, again: ReadonlySet<number> | undefined, span: Span | undefined): Promise<void>;
  /** Everything of these partitions is published, including dead letters: their positions may move past it. */
  move(batch: Committed, partitions: ReadonlySet<number>): void;
}

export interface PreparedMessages<Prepared> {
  readonly messages: readonly StreamMessage[];
  /** Begun, and perhaps finished. */
  readonly prepared: Promise<Prepared>;
}

/** On an ordered hop no message is tried again alone: later ones would overtake it. */
export interface CommittedMessages {
  /** The result of each message, in their order. */
  readonly results: readonly FinalResult[];
}
