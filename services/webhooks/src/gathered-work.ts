import { retryDelayMs } from "#domain";
import { refusalOfData } from "#postgres";
import type { Log } from "#runtime";

export interface GatheredWorkOptions<T, R> {
  /** Names the work in the log. */
  readonly name: string;
  /** How many items one call has at most. */
  readonly max: number;
  /** Two calls start at least so far apart, unless `max` items wait: so under load each call has more items. */
  readonly spacingMs: number;
  /**
   * One result for each item, in their order; `LOCKED` for one that somebody else holds: it comes again in a later call. If it
   * throws, nothing took effect, or all of it can be repeated.
   */
  work(items: readonly T[]): Promise<ReadonlyArray<R | typeof LOCKED>>;
  /** Asked of each item before it is tried again. */
  isWanted(item: T): boolean;
  readonly log: Log;
}

/** What is locked for some milliseconds, as by announcing, is mostly free at the second look; a call without it costs little. */
const LOCKED_WAIT_MS = 2;
const LOCKED_WAIT_MAX_MS = 16;

export const LOCKED = Symbol("locked");

interface Waiting<T, R> {
  readonly item: T;
  /** In how many calls behind each other somebody else held it. */
  passedOver: number;
  readonly settle: (result: R | undefined) => void;
}

/**
 * Gathers items so that one call of `work` takes many: while one call runs, the items of the next gather. So a lone item
 * never waits, and a thousand items cost a few calls.
 *
 * Faults thought of:
 *
 * - The database is gone: the same items are tried again until nobody wants them.
 * - The database refuses the data of one item: each is tried alone, so that only that one is given up.
 * - Somebody holds one item for long: no call waits for it. It is looked at again and again until nobody wants it, and the
 *   others go on. Whoever holds it without a pause harms this item alone.
 */
export class GatheredWork<T, R> {
  readonly #options: GatheredWorkOptions<T, R>;
  #waiting: Waiting<T, R>[] = [];
  #running = false;
  /** How many of the waiting items are to be tried alone, since one of them was refused. */
  #alone = 0;

  constructor(options: GatheredWorkOptions<T, R>) {
    this.#options = options;
  }

  /** Resolves to the item's result, or to undefined if it was given up. Never rejects. */
  add(item: T): Promise<R | undefined> {
    return new Promise((settle) => {
      this.#queue({ item, settle, passedOver: 0 });
    });
  }

  #queue(waiting: Waiting<T, R>): void {
    this.#waiting.push(waiting);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    const { max, spacingMs } = this.#options;
    this.#running = true;
    let failures = 0;
    while (this.#waiting.length > 0) {
      const started = performance.now();
      failures = (await this.#runOnce()) ? 0 : failures + 1;
      if (failures > 0) await pause(retryDelayMs(failures, Math.random()));
      else if (this.#waiting.length < max) await pause(spacingMs - (performance.now() - started));
    }
    this.#running = false;
  }

  /** Makes one call. False after a fault that may pass, so that the next call waits. */
  async #runOnce(): Promise<boolean> {
    const { name, max, work, isWanted, log } = this.#options;
    const batch = this.#waiting.splice(0, this.#alone > 0 ? 1 : max);
    if (this.#alone > 0) this.#alone--;
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [i, waiting] of batch.entries()) {
        const result = results[i];
        if (result === LOCKED) this.#passOver(waiting);
        else waiting.settle(result);
      }
      return true;
    } catch (error) {
      const isRefused = refusalOfData(error) !== undefined;
      log.warn({ err: error, work: name, items: batch.length }, "webhook work failed");
      const again = batch.filter(({ item }) => isWanted(item) && !(isRefused && batch.length === 1));
      for (const one of batch) if (!again.includes(one)) one.settle(undefined);
      this.#waiting.unshift(...again);
      if (isRefused) this.#alone += again.length;
      return isRefused;
    }
  }

  #passOver(waiting: Waiting<T, R>): void {
    const again = () => {
      if (this.#options.isWanted(waiting.item)) this.#queue(waiting);
      else waiting.settle(undefined);
    };
    setTimeout(again, Math.min(LOCKED_WAIT_MAX_MS, LOCKED_WAIT_MS << waiting.passedOver++));
  }
}

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
}
