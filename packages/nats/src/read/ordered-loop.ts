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
  /** Publishes the consequences, under ids that make repeating it harmless. */
  publish(batch: Committed, span: Span | undefined): Promise<void>;
  /** Everything is published, including dead letters: the position may move past it. */
  move(batch: Committed): void;
}

export interface PreparedMessages<Prepared> {
  readonly messages: readonly StreamMessage[];
  /** Begun, and perhaps finished. */
  readonly prepared: Promise<Prepared>;
}

/** On an ordered hop no message is tried again alone: later ones would overtake it. */
interface CommittedMessages {
  /** The result of each message, in their order. */
  readonly results: readonly FinalResult[];
}

export interface OrderedLoopOptions<Prepared, Committed extends CommittedMessages> extends BatchParts {
  readonly steps: OrderedSteps<Prepared, Committed>;
  /** How many batches are prepared and committed concurrently. */
  readonly lanes: number;
  /**
   * Called with partitions that a commit found lost, or whose stream has been replaced; they are read no
   * further.
   */
  readonly onLost: (partitions: readonly number[]) => void;
  /**
   * Unread messages of a partition are gone, up to this one; all earlier messages are done. The partition
   * must then be taken over again (`onLost`).
   */
  readonly onGone: (partition: number, through: number) => Promise<void>;
}

/**
 * The most rows of batches being published while the next one is handled: beyond it, that one waits to be
 * published, too.
 */
const ROWS_PUBLISHING = 500;

/**
 * Reads the partitions of an ordered hop that this process owns, each in the order of its stream, one batch
 * of a partition at a time: take, prepare, commit, answer; publish while the next one is handled; move. The
 * keeper of the position purges the stream. Nothing is acknowledged: a crash before the commit leaves
 * nothing, and one after it leaves a position that shows what is still to be published. The next owner
 * continues from there.
 *
 * While all lanes are busy the next batches collect messages: so they grow with the load, and a single
 * message never waits. A batch is tried until it succeeds, because later messages must not overtake it.
 */
export class OrderedLoop<Prepared, Committed extends CommittedMessages> {
  readonly #options: OrderedLoopOptions<Prepared, Committed>;
  readonly #feeds = new Map<number, OrderedFeed>();
  readonly #waiting = new WaitingMessages();
  /** For the next batches of busy partitions, by their messages. */
  readonly #ahead = new WeakMap<readonly QueuedMessage[], Promise<Prepared>>();
  /** The number of messages in batches under way. */
  #underWay = 0;
  #busyLanes = 0;
  readonly #batches = new Set<Promise<void>>();
  /** The publications under way, with their rows. */
  readonly #publishing = new Map<Promise<void>, number>();
  #isStopping = false;
  #hurry = new AbortController();

  constructor(options: OrderedLoopOptions<Prepared, Committed>) {
    this.#options = options;
  }

  get hop(): Hop {
    return this.#options.hop;
  }

  /** The number of messages that were read and are not done, including those of batches under way. */
  get held(): number {
    return this.#waiting.count + this.#underWay;
  }

  /**
   * The last message that was read, and why no more come; undefined: this loop does not read the partition.
   */
  feedOf(partition: number): Pick<Feed, "last" | "fault"> | undefined {
    return this.#feeds.get(partition);
  }

  /** Begins to read a partition. */
  add(partition: number, from: ReadFrom): void {
    const { stream, hop, log, onGone } = this.#options;
    // It may not have been removed: two feeds of one partition would be two readers of it.
    this.#waiting.forget(partition);
    void this.#feeds.get(partition)?.end();
    const isRead = () => this.#feeds.get(partition) === feed;
    const takeAnew = (why: string) => {
      if (!isRead()) return;
      log.warn({ hop: hop.stream, partition }, `${why}; taking the partition over again`);
      // Not awaited: it ends the feed that makes this call.
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
    // Both servers have just answered: a batch that waits for its next attempt can start now.
    this.#hurryUp();
  }

  /**
   * Ends the reading of a partition; messages read ahead are dropped, because they belong to the next owner.
   * @param finish waits until the batches under way, which may hold messages of the partition, are published
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const feed = this.#feeds.get(partition);
    this.#feeds.delete(partition);
    this.#waiting.forget(partition);
    await feed?.end();
    if (finish) await Promise.all(this.#batches);
  }

  /** Stops reading partitions that were lost, or have to be taken over again, and reports it (`onLost`). */
  async lose(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) await this.remove(partition, false);
    this.#options.onLost(partitions);
  }

  /** Ends all reading, and finishes the batches under way. Gives up one that keeps failing. */
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
    // The batch may be another one when its turn comes.
    for (const entries of this.#waiting.announce()) this.#ahead.set(entries, this.#prepare(entries));
  }

  #prepare(entries: readonly QueuedMessage[]): Promise<Prepared> {
    const prepared = this.#options.steps.prepare(entries.map(({ message }) => message));
    // Handled in the batch's turn, or not at all if its partition is lost before.
    prepared.catch(() => {});
    return prepared;
  }

  /** One batch, from taking it until the position has moved past it. */
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
    // Publications are bounded by their rows. If they held the room of their messages, too, many small ones
    // that wait for the spacing of publications would keep the next ones from being read.
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
   * Prepares, commits and answers. Undefined if the process stops first, or if partitions of the batch were
   * lost: messages of its other partitions then wait for the next batch.
   */
  async #commit(batch: Batch): Promise<Committed | undefined> {
    const { steps, log } = this.#options;
    const { entries, messages, span } = batch;
    try {
      return await this.#persist(batch, "handle", async () => {
        const prepared = this.#ahead.get(entries) ?? this.#prepare(entries);
        // A repeated batch is prepared again.
        this.#ahead.delete(entries);
        const committed = await steps.commit({ messages, prepared }, span);
        steps.answer(committed);
        // The feeds' requests of now are sent in the same write as the answers. If another batch is under
        // way, which may be published first, the messages hold their room until this one is published itself.
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

  /** Small batches are published concurrently, and large ones one at a time, so that memory stays bounded. */
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
    // The process stops. The position shows that this batch is not published: the partition's next owner
    // publishes it.
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
        if (step === "handle") {
          this.#waiting.failed(batch.entries);
          this.#fillLanes();
        }
        const wait = retryDelayMs(attempt, Math.random());
        await this.#pause(step === "publish" ? Math.min(LIMITS.publishRetryMs, wait) : wait);
      }
    }
    return undefined;
  }

  /** Ends early if the process is told to stop, or a partition is added. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopping) return;
    await delay(ms, undefined, { signal: this.#hurry.signal }).catch(() => {});
  }

  #hurryUp(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
  }
}
