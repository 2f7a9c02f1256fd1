import { setTimeout as delay } from "node:timers/promises";
import type { Hop } from "#contract";
import { retryDelayMs } from "#domain";
import { Batch, type BatchParts, type QueuedMessage } from "./batch.ts";
import type { Feed } from "./feed.ts";
import type { ReadFrom } from "./message.ts";
import { LostPartitions } from "./message-result.ts";
import { OrderedFeed } from "./ordered-feed.ts";
import type { CommittedMessages, OrderedSteps } from "./ordered-steps.ts";
import { Publications } from "./publications.ts";
import { WaitingMessages } from "./waiting-messages.ts";

export interface OrderedLoopOptions<Prepared, Committed extends CommittedMessages> extends BatchParts {
  readonly steps: OrderedSteps<Prepared, Committed>;
  /** How many batches are prepared and committed concurrently. */
  readonly lanes: number;
  /** Called with partitions that a commit found lost, or whose stream was replaced; they are read no further. */
  readonly onLost: (partitions: readonly number[]) => void;
  /**
   * Unread messages of a partition are gone, up to this one; all earlier messages are done. The partition
   * must then be taken over again (`onLost`).
   */
  readonly onGone: (partition: number, through: number) => Promise<void>;
}

/** If a batch of several partitions has failed this often, only those wait whose messages make it fail. */
const MIXED_ATTEMPTS = 2;

/**
 * Reads the partitions of an ordered hop that this process owns, each in the order of its stream, one batch
 * of a partition at a time: take, prepare, commit, answer; publish while the next one is handled; move. The
 * keeper of the position purges the stream. Nothing is acknowledged: a crash before the commit leaves
 * nothing, and one after it leaves a position that shows what is still to be published. The next owner
 * continues from there.
 *
 * While all lanes are busy the next batches collect messages: so they grow with the load, and a single
 * message never waits. A batch is tried until it succeeds, because later messages must not overtake it: only
 * the partition waits whose messages make it fail.
 */
export class OrderedLoop<Prepared, Committed extends CommittedMessages> {
  readonly #options: OrderedLoopOptions<Prepared, Committed>;
  readonly #feeds = new Map<number, OrderedFeed>();
  readonly #waiting = new WaitingMessages((partition) => this.#publications.isFailing(partition));
  /** For the next batches of busy partitions, by their messages. */
  readonly #ahead = new WeakMap<readonly QueuedMessage[], Promise<Prepared>>();
  /** The number of messages in batches under way. */
  #underWay = 0;
  #busyLanes = 0;
  /** Batches that failed and have rested, in this order. */
  readonly #rested = new Map<readonly QueuedMessage[], () => void>();
  /** These and others get free lanes by turns: while attempts fail slowly, some batch has always rested. */
  #isRestedsTurn = true;
  /** The batches under way, with their messages. */
  readonly #batches = new Map<Promise<void>, readonly QueuedMessage[]>();
  readonly #publications: Publications<Committed>;
  #isStopping = false;
  #hurry = new AbortController();

  constructor(options: OrderedLoopOptions<Prepared, Committed>) {
    this.#options = options;
    this.#publications = new Publications({
      steps: options.steps,
      pause: (ms) => this.#pause(ms),
      isGivenUp: (entry) => this.#isGivenUp([entry]),
      onEnded: (messages) => {
        this.#underWay -= messages;
        this.#fillLanes();
      },
    });
  }

  get hop(): Hop {
    return this.#options.hop;
  }

  /** The number of messages that were read and are not done, including those of batches under way. */
  get held(): number {
    return this.#waiting.count + this.#underWay;
  }

  /** The last message that was read, and why no more come; undefined: the partition is not read here. */
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
   * Ends the reading of a partition; messages read ahead are dropped, because they belong to the next owner,
   * and so do those of a batch that fails.
   * @param finish waits until the messages of batches under way are published, or have failed
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const feed = this.#feeds.get(partition);
    this.#feeds.delete(partition);
    this.#waiting.forget(partition);
    await feed?.end();
    // A batch of the partition may wait for its next attempt, and must not keep the partition until then.
    this.#hurryUp();
    if (finish) await this.#ended((one) => one === partition);
  }

  async #ended(isMeant: (partition: number) => boolean): Promise<void> {
    const has = (entries: readonly QueuedMessage[]) =>
      entries.some(({ message }) => isMeant(message.partition));
    await Promise.all([...this.#batches].map(([running, entries]) => has(entries) && running));
    await this.#publications.ended(isMeant);
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
    await this.#ended(() => true);
  }

  #receive(entry: QueuedMessage): void {
    if (this.#isStopping) return;
    this.#waiting.add(entry);
    this.#fillLanes();
  }

  #fillLanes(): void {
    // A batch that is given up waits for no lane: the others may take as long as their statements.
    for (const entries of this.#rested.keys()) if (this.#isGivenUp(entries)) this.#resume(entries);
    if (this.#isStopping) return;
    while (this.#busyLanes < this.#options.lanes) {
      const isRested = this.#rested.size > 0 && this.#isRestedsTurn;
      const entries = isRested ? [] : this.#waiting.take();
      const [rested] = entries.length > 0 ? [] : this.#rested.keys();
      if (rested === undefined && entries.length === 0) break;
      this.#isRestedsTurn = rested === undefined;
      if (rested === undefined) this.#begin(entries);
      else this.#resume(rested);
    }
    // The batch may be another one when its turn comes.
    for (const entries of this.#waiting.announce()) this.#ahead.set(entries, this.#prepare(entries));
  }

  /** Its next attempt begins, in a lane. */
  #resume(rested: readonly QueuedMessage[]): void {
    this.#busyLanes++;
    this.#rested.get(rested)?.();
    this.#rested.delete(rested);
  }

  #begin(entries: readonly QueuedMessage[]): void {
    this.#busyLanes++;
    const running = this.#run(entries).finally(() => this.#batches.delete(running));
    this.#batches.set(running, entries);
  }

  #prepare(entries: readonly QueuedMessage[]): Promise<Prepared> {
    const prepared = this.#options.steps.prepare(entries.map(({ message }) => message));
    // Handled in the batch's turn, or not at all if its partition is lost before.
    prepared.catch(() => {});
    return prepared;
  }

  /** One batch, from taking it until its publication begins. */
  async #run(entries: readonly QueuedMessage[]): Promise<void> {
    this.#underWay += entries.length;
    const batch = new Batch(this.#options, entries);
    const committed = await this.#commit(batch);
    if (committed === undefined) {
      this.#underWay -= entries.length;
      batch.leave();
    } else {
      await this.#publications.begin(batch, committed);
      // Publications are bounded by their rows. If they held the room of their messages, too, many small ones
      // that wait for the spacing of publications would keep the next ones from being read.
      batch.release();
    }
    this.#waiting.release(entries);
    this.#freeLane();
  }

  #freeLane(): void {
    this.#busyLanes--;
    this.#fillLanes();
  }

  /**
   * Prepares, commits and answers, and tries until it works. Undefined if the process stops first, or if the
   * batch came to nothing: its messages then wait for other batches, but for those that this loop does not
   * read any more.
   */
  async #commit(batch: Batch): Promise<Committed | undefined> {
    const { entries } = batch;
    const isMixed = new Set(entries.map(({ message }) => message.partition)).size > 1;
    for (let attempt = 1; attempt === 1 || !this.#isStopping; attempt++) {
      const read = entries.filter((entry) => this.#isRead(entry));
      if (read.length < entries.length || (isMixed && attempt > MIXED_ATTEMPTS)) {
        this.#waiting.putBack(read);
        return undefined;
      }
      try {
        return await this.#commitOnce(batch);
      } catch (error) {
        if (error instanceof LostPartitions) {
          const { partitions } = error;
          this.#options.log.warn({ err: error, partitions }, "partitions are lost");
          await this.lose(partitions);
        } else {
          batch.failed("handle", attempt, error);
          if (!this.#isGivenUp(entries)) await this.#rest(entries, attempt);
        }
      }
    }
    return undefined;
  }

  async #commitOnce(batch: Batch): Promise<Committed> {
    const { steps } = this.#options;
    const { entries, messages, span } = batch;
    const prepared = this.#ahead.get(entries) ?? this.#prepare(entries);
    // A repeated batch is prepared again.
    this.#ahead.delete(entries);
    const committed = await steps.commit({ messages, prepared }, span);
    steps.answer(committed);
    // The feeds' requests of now are sent in the same write as the answers. If another batch is under way,
    // which may be published first, the messages hold their room until this one's publication begins.
    if (this.#busyLanes === 1 && !this.#publications.areFull) batch.release();
    return committed;
  }

  /** Whether this loop still reads the partition as it did when the message came. */
  #isRead({ message: { partition, reading } }: QueuedMessage): boolean {
    return this.#feeds.get(partition)?.from === reading;
  }

  /** Whether a batch that failed is not tried again. */
  #isGivenUp(entries: readonly QueuedMessage[]): boolean {
    return this.#isStopping || !entries.every((entry) => this.#isRead(entry));
  }

  /** A failed batch waits for its next attempt, and others have its lane meanwhile. */
  async #rest(entries: readonly QueuedMessage[], attempt: number): Promise<void> {
    this.#waiting.failed(entries);
    this.#freeLane();
    await this.#pause(retryDelayMs(attempt, Math.random()));
    await new Promise<void>((resolve) => {
      this.#rested.set(entries, resolve);
      this.#fillLanes();
    });
  }

  /** Ends early if the process is told to stop, or a partition is added or removed. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopping) return;
    await delay(ms, undefined, { signal: this.#hurry.signal }).catch(() => {});
  }

  #hurryUp(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
    this.#fillLanes();
  }
}
