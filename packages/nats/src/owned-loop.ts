import { setTimeout as delay } from "node:timers/promises";
import { AckPolicy, type Consumer, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { BatchParts, Held } from "./batch.ts";
import { ConsumerLoop, type LoopOptions } from "./consumer-loop.ts";
import { Feed, type FeedOptions } from "./feed.ts";
import { toStreamMessage } from "./message.ts";

interface OwnedLoopOptions extends BatchParts, Pick<LoopOptions, "handler" | "lanes" | "foresee"> {
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

/** After so long without a request the server forgets a consumer. */
const FORGOTTEN_MS = 60_000;
/** How long the removal of a consumer is waited for. The server would also forget it by itself. */
const GOODBYE_MS = 1_000;

interface PartitionFeedOptions extends FeedOptions {
  readonly partition: number;
  /** Reading begins behind this sequence. */
  readonly after: number;
}

/**
 * Reads one partition in order, every message once, and acknowledges nothing: its user keeps the position. So
 * no earlier reader can have left anything on the server that is in the way, and the answer to every doubt is
 * another consumer with a name of its own, which begins behind the last message that came. What an old
 * consumer still sends goes to an inbox that nobody listens to any more.
 *
 * This feed has one doubt more than every feed has: a consumer's number that does not follow the one before.
 * A message was then lost on its way, or comes twice.
 */
export class PartitionFeed extends Feed {
  readonly #partition: number;
  /** Name of the consumer that is read. */
  #consumer = "";
  #last: number;

  constructor(options: PartitionFeedOptions) {
    super(options, LIMITS.messagesAhead, options.partition);
    this.#partition = options.partition;
    this.#last = options.after;
  }

  /** Sequence of the last message that came. */
  get last(): number {
    return this.#last;
  }

  protected override async open(): Promise<Consumer> {
    const { manager, jetstream } = this.options.stream;
    this.#consumer = uuidv7();
    const info = await manager.consumers.add(this.name, {
      name: this.#consumer,
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#last + 1,
      inactive_threshold: nanos(FORGOTTEN_MS),
      mem_storage: true,
      num_replicas: 1,
    });
    return jetstream.consumers.getConsumerFromInfo(info);
  }

  protected override take(source: JsMsg, delivered: number): void {
    if (this.isEnded) return;
    if (source.info.deliverySequence !== delivered || source.seq <= this.#last) {
      throw new Error(`message ${source.seq} came out of order`);
    }
    this.#last = source.seq;
    this.options.receive({
      message: toStreamMessage(source, this.#partition),
      deliveries: 1,
      // The position says what is done, and the partition's next owner reads on from there.
      acknowledge: () => {},
      giveBack: () => {},
      release: () => this.release(1),
    });
  }

  /** Deletes the consumer, so that the server has no more consumers than readers. */
  protected override async close(): Promise<void> {
    const { stream } = this.options;
    if (!stream.connected()) return;
    const late = delay(GOODBYE_MS, undefined, { ref: false });
    await Promise.race([stream.manager.consumers.delete(this.name, this.#consumer).catch(() => {}), late]);
  }
}
