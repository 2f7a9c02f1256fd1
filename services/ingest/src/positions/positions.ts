import { FLOW } from "#contract";
import {
  LostPartitions,
  type ReadFrom,
  type ReplayWindow,
  type Stream,
  type StreamMessage,
  stateOfSame,
} from "#nats";
import type { Store } from "#postgres";
import type { Log } from "#runtime";
import { boundKnownKeys, KnownKeys } from "../batch/known-keys.ts";
import { FencedError, movePositions, type PositionMove, type Replay } from "./ingest-position.ts";
import { type Mark, type MarkedMessages, type Ownership, publishedOf, take, toRow } from "./ownership.ts";
import { type Gone, PartitionTaker, type PositionObserver } from "./take-over.ts";

/** The positions that a batch moves, until it is committed or abandoned. */
export interface Move {
  readonly rows: readonly PositionMove[];
  committed(): void;
  givenUp(): void;
}

/**
 * The positions of the partitions that this process owns, as `ingest_positions` stores them.
 *
 * A batch's own transaction moves `applied` on from the value that this process knows. If another process
 * took the partition over meanwhile, it raised the epoch, and then nothing of the batch is committed.
 * `published` is written with the next batch, or after a second; then the stream is purged up to it. The next
 * owner reads the messages between the two again.
 */
export class Positions {
  readonly #store: Store;
  readonly #stream: Stream;
  readonly #log: Log;
  readonly #onLost: (partitions: readonly number[]) => void;
  readonly #owned = new Map<number, Ownership>();
  readonly #taker: PartitionTaker;
  readonly #window: ReplayWindow;
  /** Partitions to be taken over again, because messages are gone from their streams, up to that one. */
  readonly #gone = new Map<number, Gone>();
  #writing: Promise<void> = Promise.resolve();
  /**
   * Counts losses and new connections to NATS: a restore of an older copy always interrupts the connection,
   * because the server has to be stopped for it.
   */
  #connections = 0;

  constructor(options: {
    store: Store;
    stream: Stream;
    log: Log;
    observer: PositionObserver;
    window: ReplayWindow;
    onLost: (partitions: readonly number[]) => void;
  }) {
    this.#store = options.store;
    this.#stream = options.stream;
    this.#log = options.log;
    this.#taker = new PartitionTaker(options);
    this.#window = options.window;
    this.#onLost = options.onLost;
    this.#stream.onConnection(() => void this.#connections++);
  }

  /** How far a partition is published; undefined: this process does not own it. */
  publishedOf(partition: number): number | undefined {
    const owned = this.#owned.get(partition);
    return owned && publishedOf(owned);
  }

  /**
   * The messages of a partition that are applied again since PostgreSQL was started; undefined: none, or this
   * process does not own it.
   */
  replayOf(partition: number): Replay | undefined {
    return this.#owned.get(partition)?.replay;
  }

  /**
   * Makes this process the only owner.
   * @returns where reading begins
   * @throws if the stream or the database does not answer, or the stream's answer is impossible
   */
  async takeOver(partition: number): Promise<ReadFrom> {
    const comparedAt = this.#connections;
    this.#window.forget(FLOW.ingest, partition);
    const row = await this.#taker.takeOver(partition, this.#gone.get(partition));
    this.#gone.delete(partition);
    const { epoch, streamCreated, published, applied, storedAtMs, replay } = row;
    const reading = {
      after: published,
      applied,
      streamCreated,
      storedAtMs: published === applied ? (storedAtMs ?? undefined) : undefined,
    };
    this.#owned.set(partition, {
      partition,
      epoch,
      reading,
      replay,
      applied,
      storedAtMs,
      taken: published,
      open: new Set(),
      written: published,
      comparedAt,
      isMoving: false,
      keys: new KnownKeys(),
    });
    return reading;
  }

  /** Unread messages are gone from the stream, up to this one. All messages before them are done. */
  async gone(partition: number, through: number): Promise<void> {
    const owned = this.#owned.get(partition);
    if (owned === undefined) return;
    this.#gone.set(partition, { streamCreated: owned.reading.streamCreated, through });
    // Otherwise finished messages would count as lost.
    await this.write().catch((error) => this.#log.warn({ err: error }, "position was not written"));
  }

  /**
   * Drops a partition that another process owns or that this process has to take over again. Its batches
   * under way have no effect.
   */
  drop(partition: number): void {
    this.#owned.delete(partition);
  }

  /** Bounds the known keys of all partitions together. Call it after adding some. */
  boundKeys(): void {
    boundKnownKeys([...this.#owned.values()].map(({ keys }) => keys));
  }

  /**
   * Marks the messages of a batch, in the order of their streams.
   * @throws LostPartitions naming those that this process has lost, or has taken over again since a message
   * was read: stream and position may have changed, and the sequence may belong to another message
   */
  mark(messages: readonly StreamMessage[]): Mark[] {
    const lost = messages.flatMap(({ partition, reading }) => {
      const owned = this.#owned.get(partition);
      return owned !== undefined && (reading ?? owned.reading) === owned.reading ? [] : [partition];
    });
    if (lost.length > 0) throw new LostPartitions([...new Set(lost)]);
    return messages.map(({ partition, sequence }) => {
      const ownership = this.#owned.get(partition) as Ownership;
      const isApplied = sequence <= ownership.applied;
      if (isApplied) take(ownership, sequence);
      return { ownership, isApplied, finish: () => void ownership.open.delete(sequence) };
    });
  }

  /**
   * Commits a batch together with the move of its positions.
   * @param commit asks for the position statements as late as it can, and resolves once they are committed.
   * If it rejects although the commit succeeded (the answer got lost), the next attempt finds that the
   * position has moved; the partition is then taken over again, and the rest is published
   */
  async moving<T>(
    { messages, marks }: MarkedMessages,
    commit: (rows: () => Promise<readonly PositionMove[]>) => Promise<T>,
  ): Promise<T> {
    let move: Move | undefined;
    try {
      const result = await commit(async () => {
        move = await this.move(messages, marks);
        return move.rows;
      });
      move?.committed();
      return result;
    } catch (error) {
      move?.givenUp();
      throw error;
    }
  }

  /**
   * The position statements for the transaction of a batch. Call `committed` or `givenUp` when the
   * transaction is over.
   * @throws FencedError if a partition was lost since its messages were marked, even if it was gained again:
   * the batch would move the position of the new ownership, and finish its messages in the books of the old
   * one
   */
  async move(messages: readonly StreamMessage[], marks: readonly Mark[]): Promise<Move> {
    // Both write the same rows, and the later one must know the result of the earlier one.
    for (let before: Promise<void> | undefined; before !== this.#writing; ) {
      before = this.#writing;
      await before;
    }
    const lost = marks.flatMap(({ ownership }) => (this.#isCurrent(ownership) ? [] : [ownership.partition]));
    if (lost.length > 0) throw new FencedError([...new Set(lost)]);
    const last = new Map(messages.map((message, i) => [(marks[i] as Mark).ownership, message]));
    const rows = [...last].map(([owned, { sequence, storedAtMs }]) => toRow(owned, sequence, storedAtMs));
    for (const owned of last.keys()) owned.isMoving = true;
    return {
      rows,
      committed: () => {
        for (const [i, owned] of [...last.keys()].entries()) {
          const { applied, published, storedAtMs } = rows[i] as PositionMove;
          Object.assign(owned, { applied, storedAtMs, written: published, isMoving: false });
        }
        for (const [i, { sequence }] of messages.entries()) take((marks[i] as Mark).ownership, sequence);
      },
      givenUp: () => {
        for (const owned of last.keys()) owned.isMoving = false;
      },
    };
  }

  /**
   * Writes `published` where no batch has written it, and purges the streams. Called every second, and at the
   * end.
   */
  async write(): Promise<void> {
    const before = this.#writing;
    const writing = before.then(() => this.#write());
    this.#writing = writing.catch(() => {});
    await writing;
    for (const owned of this.#owned.values()) {
      const { partition, written, reading } = owned;
      if (!this.#window.isDue(FLOW.ingest, partition, written)) continue;
      if (!(await this.#isItsStream(owned))) continue;
      await this.#window.purge(FLOW.ingest, partition, written, reading.streamCreated);
    }
  }

  /**
   * A replaced stream holds unread messages, and this position must not purge them. Fetches the last message,
   * which may be large, only after the connection was lost.
   */
  async #isItsStream(owned: Ownership): Promise<boolean> {
    const { partition, reading, applied: last, storedAtMs, comparedAt } = owned;
    const created = reading.streamCreated;
    const connections = this.#connections;
    const lastStoredAtMs = connections === comparedAt ? undefined : (storedAtMs ?? undefined);
    if (await stateOfSame(this.#stream, FLOW.ingest, partition, { created, last, lastStoredAtMs })) {
      owned.comparedAt = connections;
      return true;
    }
    if (this.#isCurrent(owned)) {
      this.#log.warn({ partition }, "the stream was replaced; taking the partition over again");
      this.#onLost([partition]);
    }
    return false;
  }

  #isCurrent(ownership: Ownership): boolean {
    return this.#owned.get(ownership.partition) === ownership;
  }

  async #write(): Promise<void> {
    const behind = [...this.#owned.values()].filter(
      (owned) => !owned.isMoving && publishedOf(owned) > owned.written,
    );
    if (behind.length === 0) return;
    const rows = behind.map((owned) => toRow(owned, owned.applied, owned.storedAtMs));
    try {
      await this.#store.begin((sql) => movePositions(sql, rows));
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      this.#log.warn({ err: error, partitions: error.partitions }, "partitions are lost");
      this.#onLost(error.partitions);
      return;
    }
    for (const [i, owned] of behind.entries()) owned.written = (rows[i] as PositionMove).published;
  }
}
