import { setTimeout as delay } from "node:timers/promises";
import { type Hop, LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import type { Span } from "#runtime";
import { Batch, type BatchParts, type QueuedMessage } from "./batch.ts";
import type { Feed } from "./feed.ts";
import type { ReadFrom, StreamMessage } from "./message.ts";
import { type FinalResult, LostPartitions } from "./message-result.ts";
import { OrderedFeed } from "./ordered-feed.ts";
import { WaitingMessages } from "./waiting-messages.ts";

/** What an ordered hop does with a batch, in this order. Its messages are in the order of their streams. */
export interface OrderedSteps<Prepared, Committed extends CommittedMessages> {
  /** What can be done ahead of its turn, while the batch before is being committed. */
  prepare(messages: readonly StreamMessage[]): Promise<Prepared>;
  /**
   * Makes the effects durable, together with the position behind them. The span is that of the batch, which lasts until it is
   * published; undefined where nothing is traced.
   * @throws LostPartitions when another process owns some of the partitions by now; after any other error the batch is tried again
   */
  commit(batch: PreparedMessages<Prepared>, span: Span | undefined): Promise<Committed>;
  /** Tells who waits. */
  answer(batch: Committed): void;
  /** Publishes what follows, under ids that make repeating it harmless. */
  publish(batch: Committed, span: Span | undefined): Promise<void>;
  /** Everything is published, dead letters included: the position may move past it. */
  move(batch: Committed): void;
}

export interface PreparedMessages<Prepared> {
  readonly messages: readonly StreamMessage[];
  /** Begun, perhaps done. */
  readonly prepared: Promise<Prepared>;
}

/** On an ordered hop no message is tried again alone: later ones would overtake it. */
interface CommittedMessages {
  /** The result of each message, in their order. */
  readonly results: readonly FinalResult[];
}

export interface OrderedLoopOptions<Prepared, Committed extends CommittedMessages> extends BatchParts {
  readonly steps: OrderedSteps<Prepared, Committed>;
  /** How many batches are prepared and committed at once. */
  readonly lanes: number;
  /** Called with partitions that a commit found lost, or whose stream is another one by now; nothing more is read of them. */
  readonly onLost: (partitions: readonly number[]) => void;
  /**
   * Unread messages of a partition are gone, up to this one; all messages before them are done. The partition is then to be
   * taken over again (`onLost`).
   */
  readonly onGone: (partition: number, through: number) => Promise<void>;
}

/** Of batches that are being published, while the next one is handled: past it that one waits to be published too. */
const ROWS_PUBLISHING = 500;

/**
 * Reads the partitions of an ordered hop that this process owns, each in the order of its stream, one batch of a partition at a
 * time: take, prepare, commit, answer; publish beside the next; move. The keeper of the position purges behind it. Nothing is
 * acknowledged: a crash before the commit leaves nothing behind, and one after it leaves a position that says what is still to
 * be published. The next owner reads on from there.
 *
 * While all lanes are busy the next batches gather: so they grow by themselves with the load, and a lone message never waits. A
 * batch is tried until it succeeds, because the messages behind it must not overtake it.
 */
export class OrderedLoop<Prepared, Committed extends CommittedMessages> {
  readonly #options: OrderedLoopOptions<Prepared, Committed>;
  readonly #feeds = new Map<number, OrderedFeed>();
  readonly #waiting = new WaitingMessages();
  /** Of the next batches of busy partitions, by their messages. */
  readonly #ahead = new WeakMap<readonly QueuedMessage[], Promise<Prepared>>();
  /** Messages of batches that are under way. */
  #underWay = 0;
  #busyLanes = 0;
  readonly #batches = new Set<Promise<void>>();
  /** Batches whose consequences are being published, with their rows. */
  readonly #publishing = new Map<Promise<void>, number>();
  #isStopping = false;
  #hurry = new AbortController();

  constructor(options: OrderedLoopOptions<Prepared, Committed>) {
    this.#options = options;
  }

  get hop(): Hop {
    return this.#options.hop;
  }

  /** Messages that were read and are not done, including those of batches under way. */
  get held(): number {
    return this.#waiting.count + this.#underWay;
  }

  /** The last message that was read, and why no more come; undefined when this loop does not read the partition. */
  feedOf(partition: number): Pick<Feed, "last" | "fault"> | undefined {
    return this.#feeds.get(partition);
  }

  /** Begins to read a partition. */
  add(partition: number, from: ReadFrom): void {
    const { stream, hop, log, onGone } = this.#options;
    // One that was not removed: two feeds of one partition would be two readers of it.
    this.#waiting.forget(partition);
    void this.#feeds.get(partition)?.end();
    const isRead = () => this.#feeds.get(partition) === feed;
    const takeAnew = (why: string) => {
      if (!isRead()) return;
      log.warn({ hop: hop.stream, partition }, `${why}; taking the partition over again`);
      // Not waited for: it ends the feed, whose call this is.
      void this.lose([partition]);
    };
    const feed = new OrderedFeed({
      stream,
      hop,
      partition,
      from,
      log,
      receive: (entry) => {
        if (isRead()) this.#receive(entry);
      },
      onOtherStream: () => takeAnew("the stream was replaced"),
      onGone: (through) => {
        if (!isRead()) return;
        void onGone(partition, through).then(() => takeAnew("messages are gone from the stream"));
      },
    });
    this.#feeds.set(partition, feed);
    // Both servers have just answered: a batch that waits for its next attempt need not wait any longer.
    this.#hurryUp();
  }

  /**
   * Ends the reading of a partition; what was read ahead is forgotten and belongs to the next owner.
   * @param finish waits until the batches under way, which may hold messages of the partition, are published
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const feed = this.#feeds.get(partition);
    this.#feeds.delete(partition);
    this.#waiting.forget(partition);
    await feed?.end();
    if (finish) await Promise.all(this.#batches);
  }

  /** Reads nothing more of partitions that were lost, or have to be taken over again, and says so (`onLost`). */
  async lose(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) await this.remove(partition, false);
    this.#options.onLost(partitions);
  }

  /** Ends all reading, and finishes the batches under way. One that keeps failing is given up. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#hurryUp();
    this.#waiting.removeAll();
    await Promise.all([...this.#feeds.values()].map((feed) => feed.end()));
    await Promise.all(this.#batches);
  }

  #receive(entry: QueuedMessage): void {
    if (this.#isStopping) return;
    this.#waiting.add(entry);
    this.#fillLanes();
  }

  #fillLanes(): void {
    while (this.#busyLanes < this.#options.lanes && !this.#isStopping) {
      const entries = this.#waiting.take();
      if (entries.length === 0) break;
      const running = this.#run(entries).finally(() => this.#batches.delete(running));
      this.#batches.add(running);
    }
    if (this.#isStopping) return;
    // A batch may still be another one when its turn comes.
    for (const entries of this.#waiting.announce()) this.#ahead.set(entries, this.#prepare(entries));
  }

  #prepare(entries: readonly QueuedMessage[]): Promise<Prepared> {
    const prepared = this.#options.steps.prepare(entries.map(({ message }) => message));
    // Looked at in the batch's turn, and not at all if its partition is lost before.
    prepared.catch(() => {});
    return prepared;
  }

  /** One batch, from its being taken until the position has moved past it. */
  async #run(entries: readonly QueuedMessage[]): Promise<void> {
    this.#underWay += entries.length;
    this.#busyLanes++;
    const batch = new Batch(this.#options, entries);
    const committed = await this.#commit(batch);
    await this.#publishedEnough();
    if (committed === undefined) {
      this.#underWay -= entries.length;
      batch.leave();
      return this.#freeLane(entries);
    }
    const publishing = this.#publish(batch, committed).finally(() => {
      this.#publishing.delete(publishing);
      this.#underWay -= entries.length;
    });
    this.#publishing.set(publishing, batch.rows);
    // What is being published is bounded by its rows. If it held the room of its messages too, many small ones that wait for the
    // spacing of publications would keep the next ones from being read.
    batch.release();
    this.#freeLane(entries);
    await publishing;
  }

  #freeLane(entries: readonly QueuedMessage[]): void {
    this.#waiting.release(entries);
    this.#busyLanes--;
    this.#fillLanes();
  }

  /**
   * Prepares, commits and answers. Undefined when the process stops first, or when partitions of the batch were lost: messages of
   * its other partitions then wait for the next batch.
   */
  async #commit(batch: Batch): Promise<Committed | undefined> {
    const { steps, log } = this.#options;
    const { entries, messages, span } = batch;
    try {
      return await this.#persist(batch, "handle", async () => {
        const prepared = this.#ahead.get(entries) ?? this.#prepare(entries);
        // A batch that is tried again is prepared again.
        this.#ahead.delete(entries);
        const committed = await steps.commit({ messages, prepared }, span);
        steps.answer(committed);
        // What the feeds ask for now leaves in the write of the answers. Beside another batch, which may be published first, the
        // messages hold their room until this one is published itself.
        if (this.#busyLanes === 1 && this.#rowsPublishing <= ROWS_PUBLISHING) batch.release();
        return committed;
      });
    } catch (error) {
      if (!(error instanceof LostPartitions)) throw error;
      const lost = new Set(error.partitions);
      log.warn({ err: error, partitions: error.partitions }, "partitions are lost");
      await this.lose(error.partitions);
      this.#waiting.putBack(entries.filter(({ message }) => !lost.has(message.partition)));
      return undefined;
    }
  }

  /** Small batches publish beside each other, and large ones one at a time, so that what is held in memory stays bounded. */
  async #publishedEnough(): Promise<void> {
    while (this.#rowsPublishing > ROWS_PUBLISHING) await Promise.race(this.#publishing.keys());
  }

  get #rowsPublishing(): number {
    let sum = 0;
    for (const rows of this.#publishing.values()) sum += rows;
    return sum;
  }

  async #publish(batch: Batch, committed: Committed): Promise<void> {
    const { steps } = this.#options;
    const results = batch.entries.map((entry, i) => [entry, committed.results[i] as FinalResult] as const);
    const isPublished = await this.#persist(batch, "publish", async () => {
      await steps.publish(committed, batch.span);
      for (const [entry, result] of results) await batch.bury(entry, result);
      return true;
    });
    // The process stops. The position says that this is not published: the partition's next owner does it.
    if (!isPublished) return batch.leave();
    steps.move(committed);
    for (const [entry, result] of results) batch.settle(entry, result);
    batch.end();
  }

  /** Tries until it works; undefined when the process stops first. A lost partition ends the attempts. */
  async #persist<T>(
    batch: Batch,
    step: "handle" | "publish",
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1; !this.#isStopping || attempt === 1; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof LostPartitions) throw error;
        batch.failed(step, attempt, error);
        const wait = retryDelayMs(attempt, Math.random());
        await this.#pause(step === "publish" ? Math.min(LIMITS.publishRetryMs, wait) : wait);
      }
    }
    return undefined;
  }

  /** Ends early when the process is told to stop, or a partition is added. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopping) return;
    await delay(ms, undefined, { signal: this.#hurry.signal }).catch(() => {});
  }

  #hurryUp(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
  }
}
