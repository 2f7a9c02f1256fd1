import type { BatchParts, Held } from "./batch.ts";
import { ConsumerLoop } from "./consumer-loop.ts";
import type { StreamMessage } from "./message.ts";
import type { BatchHandler } from "./outcome.ts";
import { PartitionFeed } from "./partition-feed.ts";

export interface OwnedLoopOptions extends BatchParts {
  readonly handler: BatchHandler;
  /** Batches of different partitions that are handled at once, 1 by default. */
  readonly lanes?: number;
  /** See `LoopOptions`. */
  readonly foresee?: (messages: readonly StreamMessage[]) => void;
  /** Called with partitions that the handler found lost; nothing more is read of them. */
  readonly onLost: (partitions: readonly number[]) => void;
}

/**
 * Reads partitions of a hop whose partitions are owned: hands their messages to the handler in the order of
 * their streams, one batch of a partition at a time.
 *
 * Nothing is acknowledged: the handler commits the position together with the effects, and the next owner of
 * a partition reads on from there. So a crash before the commit leaves nothing behind, and a crash after it
 * leaves a position that says what is still to be published.
 */
export class OwnedLoop {
  readonly #options: OwnedLoopOptions;
  readonly #loop: ConsumerLoop;
  readonly #feeds = new Map<number, PartitionFeed>();

  constructor(options: OwnedLoopOptions) {
    this.#options = options;
    const onLost = async (partitions: readonly number[]) => {
      for (const partition of partitions) await this.remove(partition, false);
      options.onLost(partitions);
    };
    this.#loop = new ConsumerLoop({ ...options, onLost });
  }

  /** Messages that were read and are not yet published, including those of batches under way. */
  get held(): number {
    return this.#loop.held;
  }

  /**
   * The sequence of the partition's last message that was read, and why no more come; undefined when this
   * loop does not read the partition.
   */
  feedOf(partition: number): Pick<PartitionFeed, "last" | "fault"> | undefined {
    return this.#feeds.get(partition);
  }

  /** Begins to read a partition, at the message behind the sequence `after`. */
  add(partition: number, after: number): void {
    const { stream, hop, log } = this.#options;
    const receive = (entry: Held) => {
      if (this.#feeds.get(partition) === feed) this.#loop.receive(entry);
    };
    const feed = new PartitionFeed({ stream, hop, partition, after, receive, log });
    this.#feeds.set(partition, feed);
    this.#loop.hurry();
  }

  /**
   * Ends the reading of a partition; what was read ahead is forgotten and belongs to the next owner.
   * @param finish waits until the batches under way, which may hold messages of the partition, are written
   * and published
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const feed = this.#feeds.get(partition);
    this.#feeds.delete(partition);
    this.#loop.forget(partition);
    await feed?.end();
    if (finish) await this.#loop.settled();
  }

  /** Ends all reading, and finishes the batches under way. */
  async stop(): Promise<void> {
    this.#loop.stop();
    await Promise.all([...this.#feeds.values()].map((feed) => feed.end()));
    await this.#loop.settled();
  }
}
