import { type Hop, LIMITS, type PartitionPlace, type ReadPlace } from "#contract";
import { type Repeated, repeat } from "#runtime";
import type { TopologyOptions } from "../streams/topology.ts";
import { Batch, type BatchParts, comesAgain, firstBatch, type QueuedMessage, rowsOf } from "./batch.ts";
import type { Feed } from "./feed.ts";
import type { BatchHandler, MessageResult } from "./message-result.ts";
import type { Replay } from "./replay-progress.ts";
import { ReplayWindow } from "./replay-window.ts";
import { UnorderedFeed } from "./unordered-feed.ts";

/** Stores the places of hops, in the database of their handlers. */
export interface PlaceKeeper {
  /** @returns the place of a partition that this process has taken over; undefined: there is none yet */
  takeOver(hop: string, partition: number): Promise<ReadPlace | undefined>;
  /**
   * @returns the partitions whose place was written; the others belong to another process by now, or have to
   * be taken over again
   */
  keep(places: readonly PartitionPlace[]): Promise<readonly number[]>;
}

export interface UnorderedLoopOptions extends BatchParts {
  /** To make a missing stream again. */
  readonly topology: TopologyOptions;
  /** Absent: finished messages are dropped immediately, and the stream's first message is the place. */
  readonly places?: PlaceKeeper | undefined;
  /** How long finished messages stay in the streams. Only with `places`. */
  readonly window?: ReplayWindow | undefined;
  readonly handler: BatchHandler;
  /** How many batches are handled concurrently; 1 by default. */
  readonly lanes?: number;
  /** Milliseconds between the starts of batches that are less than half full. Absent: none. */
  readonly spacingMs?: number;
  /**
   * Called with partitions that have to be taken over again, because their places belong to another session.
   */
  readonly onLost?: (partitions: readonly number[]) => void;
}

/**
 * The progress of a partition: the sequences of the last message read, and of the last one up to which all
 * are done.
 */
export interface PartitionPosition {
  readonly read: number;
  readonly done: number;
  /** Absent: there is none. */
  readonly replay?: Replay | undefined;
}

/** For a batch: two full messages of our own producers. Others need not say how many rows theirs hold. */
const BATCH_BYTES = 2 * LIMITS.messageBytes;

/**
 * Reads the partitions of an unordered hop that this process owns. Nothing is acknowledged: handlers are
 * idempotent, and the progress of a partition is stored at most once a second (`UnorderedFeed` says what
 * follows for crashes).
 *
 * A batch takes the messages that have come. While all lanes are busy the next batch collects messages: so
 * batches grow with the load, and a single message never waits. With `spacingMs`, batches that are less than
 * half full start at least that far apart under load, so that each has more messages. Failed messages come
 * again later, each alone, and no other message waits.
 */
export class UnorderedLoop {
  readonly #options: UnorderedLoopOptions;
  readonly #feeds = new Map<number, UnorderedFeed>();
  readonly #places: PlaceKeeper | undefined;
  readonly #window: ReplayWindow;
  readonly #purging: Repeated | undefined;
  /** In the order in which they came. */
  #waiting: QueuedMessage[] = [];
  /** The number of messages in batches under way. */
  #underWay = 0;
  readonly #batches = new Set<Promise<void>>();
  #lastStart = Number.NEGATIVE_INFINITY;
  #spacing: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: UnorderedLoopOptions) {
    this.#options = options;
    const { hop, log, stream, places, window } = options;
    this.#places = hop.lastPerKey ? undefined : places;
    this.#window = (places && window) ?? new ReplayWindow(stream, 0);
    if (hop.lastPerKey) return;
    this.#purging = repeat({
      name: `purge of ${hop.stream}`,
      everyMs: LIMITS.positionWriteMs,
      spacingMs: LIMITS.positionWriteMs,
      work: () => this.#keepPlaces(this.#feeds),
      failed: "the place in a stream was not kept, or the stream not purged of what is done",
      log,
    });
  }

  get hop(): Hop {
    return this.#options.hop;
  }

  /** The number of messages that were read and are not done, including those of batches under way. */
  get held(): number {
    const failed = [...this.#feeds.values()].reduce((sum, feed) => sum + feed.waiting, 0);
    return this.#waiting.length + this.#underWay + failed;
  }

  /**
   * The last message that was read, and why no more come; undefined: this loop does not read the partition.
   */
  feedOf(partition: number): Pick<Feed, "last" | "fault"> | undefined {
    return this.#feeds.get(partition);
  }

  /** Undefined: this loop does not read the partition. */
  positionOf(partition: number): PartitionPosition | undefined {
    const feed = this.#feeds.get(partition);
    return feed && { read: feed.last, done: feed.done, replay: feed.replay };
  }

  /** Begins to read a partition, after its place in the database. */
  async takeOver(partition: number): Promise<void> {
    const { stream, hop, topology, log } = this.#options;
    // Even if the database makes this partition wait: the present database may lack the work that its
    // predecessor reported.
    this.#window.forget(hop, partition);
    const from = await this.#places?.takeOver(hop.stream, partition);
    this.#window.forget(hop, partition);
    // It may not have been removed: two feeds of one partition would be two readers of it.
    this.#forget(partition);
    void this.#feeds.get(partition)?.end();
    const receive = (entry: QueuedMessage) => {
      if (this.#feeds.get(partition) === feed) this.#receive(entry);
    };
    const onDone = () => this.#purging?.kick();
    const feed = new UnorderedFeed({
      stream,
      hop,
      partition,
      receive,
      log,
      topology,
      window: this.#window,
      from,
      onDone,
      onGap: this.#options.observer.gap ?? (() => {}),
    });
    this.#feeds.set(partition, feed);
  }

  /**
   * Ends the reading of a partition; messages read ahead are dropped, because they belong to the next owner.
   * @param finish waits until the batches under way, which may hold messages of the partition, are handled,
   * and their place is stored
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const feed = this.#feeds.get(partition);
    this.#feeds.delete(partition);
    this.#forget(partition);
    await feed?.end();
    if (!finish) return;
    await Promise.all(this.#batches);
    if (feed !== undefined) await this.#keepLast(new Map([[partition, feed]]));
  }

  /**
   * For partitions without a reader, because the database does not answer: kept messages must not fill their
   * streams.
   */
  makeRoom(partitions: readonly number[]): Promise<void> {
    return this.#window.makeRoom(this.hop, partitions);
  }

  /** Ends all reading, and finishes the batches under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#spacing);
    this.#waiting = [];
    await Promise.all([...this.#feeds.values()].map((feed) => feed.end()));
    await Promise.all(this.#batches);
    await this.#purging?.stop();
    await this.#keepLast(this.#feeds);
  }

  #forget(partition: number): void {
    this.#waiting = this.#waiting.filter(({ message }) => message.partition !== partition);
  }

  #receive(entry: QueuedMessage): void {
    if (this.#isStopping) return;
    this.#waiting.push(entry);
    this.#fillLanes();
  }

  #fillLanes(): void {
    const { lanes = 1 } = this.#options;
    while (
      this.#batches.size < lanes &&
      this.#waiting.length > 0 &&
      !this.#isStopping &&
      !this.#isTooSoon()
    ) {
      this.#lastStart = performance.now();
      const entries = firstBatch(this.#waiting, BATCH_BYTES);
      this.#waiting = this.#waiting.slice(entries.length);
      const running = this.#run(new Batch(this.#options, entries)).then(() => {
        this.#batches.delete(running);
        this.#fillLanes();
      });
      this.#batches.add(running);
    }
  }

  /** Whether the next batch should collect more first; the lanes are filled again when it is time. */
  #isTooSoon(): boolean {
    const { spacingMs = 0 } = this.#options;
    const wait = this.#lastStart + spacingMs - performance.now();
    if (wait <= 0) return false;
    // If no more may be held, no more can come. A repeated message is handled alone, so it gains nothing by
    // waiting.
    const isFull = [...this.#feeds.values()].some((feed) => feed.isFull);
    if (isFull || rowsOf(this.#waiting) >= LIMITS.rowsPerBatch / 2 || this.#waiting.some(comesAgain))
      return false;
    this.#spacing ??= setTimeout(() => {
      this.#spacing = undefined;
      this.#fillLanes();
    }, wait);
    return true;
  }

  async #run(batch: Batch): Promise<void> {
    this.#underWay += batch.entries.length;
    try {
      const { results } = await this.#options.handler(batch.messages, batch.span);
      await Promise.all(batch.entries.map((entry, i) => settle(batch, entry, results[i] as MessageResult)));
      batch.end();
    } catch (error) {
      batch.retryLater(error);
    }
    this.#underWay -= batch.entries.length;
    batch.release();
  }

  /** If a place is not stored now, the next owner handles its messages once more. */
  async #keepLast(feeds: ReadonlyMap<number, UnorderedFeed>): Promise<void> {
    await this.#keepPlaces(feeds).catch((error) => {
      this.#options.log.warn({ err: error }, "the place in a stream was not written");
    });
  }

  /**
   * Stores the progress of each partition in the database, and drops messages from the streams that need not
   * be kept.
   */
  async #keepPlaces(feeds: ReadonlyMap<number, UnorderedFeed>): Promise<void> {
    const moved = [...feeds].flatMap(([partition, feed]) => {
      const { place } = feed;
      return place === undefined ? [] : [{ feed, partition, place }];
    });
    const places = moved.map(({ partition, place }) => ({ hop: this.hop.stream, partition, ...place }));
    const kept = places.length === 0 ? [] : await this.#keep(places);
    for (const { feed, partition, place } of moved) if (kept.includes(partition)) feed.kept(place);
    const lost = moved.flatMap(({ feed, partition }) =>
      kept.includes(partition) || this.#feeds.get(partition) !== feed ? [] : [partition],
    );
    if (lost.length > 0) {
      this.#options.log.warn(
        { hop: this.hop.stream, partitions: lost },
        "another session owns the places; taking the partitions over again",
      );
      // A feed that stayed would hold messages of a partition that another process may own by now.
      for (const partition of lost) void this.remove(partition, false);
      this.#options.onLost?.(lost);
    }
    // A failure keeps none of the others from it.
    const purges = await Promise.allSettled([...feeds.values()].map((feed) => feed.purge()));
    const failed = purges.find((purge) => purge.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #keep(places: readonly PartitionPlace[]): Promise<readonly number[]> {
    return (await this.#places?.keep(places)) ?? places.map(({ partition }) => partition);
  }
}

/** If a dead letter cannot be stored, its own message comes again, and no other. */
async function settle(batch: Batch, entry: QueuedMessage, result: MessageResult): Promise<void> {
  const known = await batch.bury(entry, result).then(
    () => result,
    (error: unknown): MessageResult => ({ kind: "retry", error }),
  );
  batch.settle(entry, known);
}
