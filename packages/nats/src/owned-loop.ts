import { type Hop, LIMITS } from "#contract";
import { type Repeated, repeat } from "#runtime";
import type { BatchParts, Held } from "./batch.ts";
import { ConsumerLoop, type LoopOptions } from "./consumer-loop.ts";
import type { Feed } from "./feed.ts";
import type { ReadFrom } from "./message.ts";
import { OrderedFeed } from "./ordered-feed.ts";
import { ReplayWindow } from "./replay-window.ts";
import type { TopologyOptions } from "./topology.ts";
import { type ReadPlace, UnorderedFeed } from "./unordered-feed.ts";

/** The place of one partition of a hop. */
export interface PartitionPlace extends ReadPlace {
  /** `Hop.stream`. */
  readonly hop: string;
  readonly partition: number;
}

/** Keeps the places of unordered hops, in the database that their work goes to. */
export interface PlaceKeeper {
  /** @returns the place of a partition that this process has taken over; undefined: there is none yet */
  takeOver(hop: string, partition: number): Promise<ReadPlace | undefined>;
  /** @returns the partitions whose place was kept; the others are somebody else's by now, or have to be taken over anew */
  keep(places: readonly PartitionPlace[]): Promise<readonly number[]>;
}

export interface OwnedLoopOptions
  extends BatchParts,
    Pick<LoopOptions, "handler" | "lanes" | "spacingMs" | "foresee"> {
  /** To make a stream of an unordered hop anew where it is gone. */
  readonly topology: TopologyOptions;
  /** Of an unordered hop. Left out: what is done is dropped at once, and the stream's first message is the place. */
  readonly places?: PlaceKeeper | undefined;
  /** How long what is done stays in the streams. Only with `places`. */
  readonly window?: ReplayWindow | undefined;
  /**
   * Of an ordered hop: called with partitions that the handler found lost, or whose stream is another one by now; nothing more
   * is read of them.
   */
  readonly onLost?: (partitions: readonly number[]) => void;
  /**
   * Of an ordered hop: messages of a partition that nobody has read are gone, up to this one; all before them are done. The partition
   * is then to be taken over anew (`onLost`).
   */
  readonly onGone?: (partition: number, through: number) => Promise<void>;
}

/** How far a partition is: the sequences of the last message that was read, and up to which all are done. */
export interface PartitionPosition {
  readonly read: number;
  readonly done: number;
}

/** Of an unordered hop: two full messages of our own producers. Others need not say how many rows theirs stand for. */
const BATCH_BYTES = 2 * LIMITS.messageBytes;

/**
 * Reads the partitions of a hop that this process owns, and hands their messages to the handler in batches.
 * Nothing is acknowledged.
 *
 * - Of an ordered hop, a partition's messages are handled in the order of their stream, one batch of a partition
 *   at a time. The handler commits the position together with the effects, and the next owner reads on from
 *   there. So a crash before the commit leaves nothing behind, and a crash after it leaves a position that says
 *   what is still to be published.
 * - Of an unordered hop, batches are made of whatever has come, handlers are idempotent, and what is done is
 *   purged, once a second at most: `UnorderedFeed` says what follows for crashes.
 */
export class OwnedLoop {
  readonly #options: OwnedLoopOptions;
  readonly #loop: ConsumerLoop;
  readonly #ordered = new Map<number, OrderedFeed>();
  readonly #unordered = new Map<number, UnorderedFeed>();
  readonly #places: PlaceKeeper | undefined;
  readonly #window: ReplayWindow;
  readonly #purging: Repeated | undefined;

  constructor(options: OwnedLoopOptions) {
    this.#options = options;
    const { hop, log, stream, places, window } = options;
    this.#places = hop.lastPerKey ? undefined : places;
    this.#window = (places && window) ?? new ReplayWindow(stream, 0);
    this.#loop = new ConsumerLoop({
      ...options,
      ...(!hop.ordered && { batchBytes: BATCH_BYTES }),
      isFull: () => [...this.#unordered.values()].some((feed) => feed.isFull),
      onLost: (partitions) => this.lose(partitions),
    });
    if (hop.ordered || hop.lastPerKey) return;
    this.#purging = repeat({
      name: `purge of ${hop.stream}`,
      everyMs: LIMITS.positionWriteMs,
      spacingMs: LIMITS.positionWriteMs,
      work: () => this.#keepPlaces(this.#unordered),
      failed: "the place in a stream was not kept, or the stream not purged of what is done",
      log,
    });
  }

  get hop(): Hop {
    return this.#options.hop;
  }

  /** Messages that were read and are not done, including those of batches under way. */
  get held(): number {
    const waiting = [...this.#unordered.values()].reduce((sum, feed) => sum + feed.waiting, 0);
    return this.#loop.held + waiting;
  }

  /**
   * The sequence of the partition's last message that was read, and why no more come; undefined when this
   * loop does not read the partition.
   */
  feedOf(partition: number): Pick<Feed, "last" | "fault"> | undefined {
    return this.#ordered.get(partition) ?? this.#unordered.get(partition);
  }

  /** Of an unordered hop; undefined when this loop does not read the partition. */
  positionOf(partition: number): PartitionPosition | undefined {
    const feed = this.#unordered.get(partition);
    return feed && { read: feed.last, done: feed.done };
  }

  /** Begins to read a partition of an unordered hop, behind the place that the database has of it. */
  async takeOver(partition: number): Promise<void> {
    this.#add(partition, undefined, await this.#places?.takeOver(this.hop.stream, partition));
  }

  /** Begins to read a partition of an ordered hop. */
  add(partition: number, from: ReadFrom): void {
    this.#add(partition, from, undefined);
  }

  #add(partition: number, from: ReadFrom | undefined, place: ReadPlace | undefined): void {
    const { stream, hop, topology, log } = this.#options;
    const receive = (entry: Held) => {
      if (this.feedOf(partition) === feed) this.#loop.receive(entry);
    };
    const parts = { stream, hop, partition, receive, log };
    const onDone = () => this.#purging?.kick();
    const onOtherStream = () => {
      if (this.feedOf(partition) !== feed) return;
      log.warn({ hop: hop.stream, partition }, "the stream is another one; taking the partition over anew");
      // Not waited for: it ends the feed, whose call this is.
      void this.lose([partition]);
    };
    const onGone = async (through: number) => {
      if (this.feedOf(partition) !== feed) return;
      log.warn({ hop: hop.stream, partition, through }, "messages are gone; taking the partition over anew");
      await this.#options.onGone?.(partition, through);
      void this.lose([partition]);
    };
    // One that was not removed: two feeds of one partition would be two readers of it.
    const before = this.#ordered.get(partition) ?? this.#unordered.get(partition);
    if (before !== undefined) {
      this.#loop.forget(partition);
      void before.end();
    }
    const feed =
      from === undefined
        ? new UnorderedFeed({ ...parts, topology, window: this.#window, from: place, onDone })
        : new OrderedFeed({ ...parts, from, onOtherStream, onGone: (through) => void onGone(through) });
    if (feed instanceof OrderedFeed) this.#ordered.set(partition, feed);
    else this.#unordered.set(partition, feed);
    this.#loop.hurry();
  }

  /**
   * Ends the reading of a partition; what was read ahead is forgotten and belongs to the next owner.
   * @param finish waits until the batches under way, which may hold messages of the partition, are written,
   * published and, of an unordered hop, purged
   */
  async remove(partition: number, finish: boolean): Promise<void> {
    const ordered = this.#ordered.get(partition);
    const unordered = this.#unordered.get(partition);
    this.#ordered.delete(partition);
    this.#unordered.delete(partition);
    this.#loop.forget(partition);
    await (ordered ?? unordered)?.end();
    if (!finish) return;
    await this.#loop.settled();
    if (unordered !== undefined) await this.#keepLast(new Map([[partition, unordered]]));
  }

  /** Reads nothing more of partitions that were lost, or have to be taken over anew, and says so (`onLost`). */
  async lose(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) await this.remove(partition, false);
    this.#options.onLost?.(partitions);
  }

  /** Ends all reading, and finishes the batches under way. */
  async stop(): Promise<void> {
    this.#loop.stop();
    const feeds = [...this.#ordered.values(), ...this.#unordered.values()];
    await Promise.all(feeds.map((feed) => feed.end()));
    await this.#loop.settled();
    await this.#purging?.stop();
    await this.#keepLast(this.#unordered);
  }

  /** What is not kept now, the next owner handles once more. */
  async #keepLast(feeds: ReadonlyMap<number, UnorderedFeed>): Promise<void> {
    await this.#keepPlaces(feeds).catch((error) => {
      this.#options.log.warn({ err: error }, "the place in a stream was not kept");
    });
  }

  /** Has the database say how far each partition is done, and drops from the streams what need not be kept. */
  async #keepPlaces(feeds: ReadonlyMap<number, UnorderedFeed>): Promise<void> {
    const failures: unknown[] = [];
    // One that fails keeps none of the others from it.
    const each = (work: (feed: UnorderedFeed, partition: number) => Promise<void>) =>
      Promise.all(
        [...feeds].map(([partition, feed]) => work(feed, partition).catch((error) => failures.push(error))),
      );
    const moved: { readonly feed: UnorderedFeed; readonly place: PartitionPlace }[] = [];
    await each(async (feed, partition) => {
      const { place } = feed;
      if (place === undefined || !(await feed.isStill(place))) return;
      moved.push({ feed, place: { hop: this.hop.stream, partition, ...place } });
    });
    const places = moved.map(({ place }) => place);
    const kept = places.length === 0 ? [] : await this.#keep(places);
    for (const { feed, place } of moved) if (kept.includes(place.partition)) feed.kept(place);
    await each((feed) => feed.purge());
    if (failures.length > 0) throw failures[0];
  }

  async #keep(places: readonly PartitionPlace[]): Promise<readonly number[]> {
    return (await this.#places?.keep(places)) ?? places.map(({ partition }) => partition);
  }
}
