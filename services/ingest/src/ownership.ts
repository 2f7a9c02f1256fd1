import type { Log } from "#runtime";
import { holdPartitionLocks, type Store } from "#store";

/** How often ownership is confirmed; also how soon a partition of a dead process finds its next owner. */
const CONFIRM_MS = 1_000;

/**
 * Keeps this process the only consumer of its partitions, by advisory locks in Postgres. A process that dies, or loses
 * its session, loses its locks with it.
 *
 * Between losing a lock and noticing (at most one round) two processes may handle the same messages. That costs work,
 * not truth: rows are locked by key and every effect is idempotent.
 */
export class PartitionOwnership {
  readonly #store: Store;
  readonly #partitions: readonly number[];
  readonly #log: Log;
  readonly #onChange: (gained: readonly number[], lost: readonly number[]) => Promise<void>;
  #owned: readonly number[] = [];
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param store a pool of one connection that nothing else uses */
  constructor(options: {
    store: Store;
    partitions: number;
    log: Log;
    onChange: (gained: readonly number[], lost: readonly number[]) => Promise<void>;
  }) {
    this.#store = options.store;
    this.#partitions = Array.from({ length: options.partitions }, (_, partition) => partition);
    this.#log = options.log;
    this.#onChange = options.onChange;
  }

  get owned(): readonly number[] {
    return this.#owned;
  }

  /** The first round; later ones follow by themselves. */
  async start(): Promise<void> {
    this.#round = this.#confirm();
    await this.#round;
  }

  /** Lets go of nothing by itself: the locks end with the store's connection. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #confirm(): Promise<void> {
    try {
      await this.#set(await holdPartitionLocks(this.#store, this.#partitions));
    } catch (error) {
      // Without an answer the locks may be gone: somebody else may already be the owner.
      this.#log.warn({ err: error }, "partition ownership is unknown");
      await this.#set([]).catch((fault) =>
        this.#log.warn({ err: fault }, "partitions were not let go cleanly"),
      );
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#confirm();
    }, CONFIRM_MS);
  }

  async #set(now: readonly number[]): Promise<void> {
    const gained = now.filter((partition) => !this.#owned.includes(partition));
    const lost = this.#owned.filter((partition) => !now.includes(partition));
    if (gained.length === 0 && lost.length === 0) return;
    // Recorded after the change: one that fails half-way is tried again in the next round.
    await this.#onChange(gained, lost);
    this.#owned = now;
    this.#log.info({ gained, lost, owned: now }, "partitions");
  }
}
