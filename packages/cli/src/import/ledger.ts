import type { RowAt, RowResult } from "./row-result.ts";

/** A row whose result may not be known yet. */
export interface Entry {
  readonly at: RowAt;
  result: RowResult | undefined;
}

/** Settled entries at the front of the array before the others are moved. */
const COMPACT_AT = 1024;

/**
 * The rows on their way, in the order of their files. Results come in any order; a row is done when its result and those of all
 * rows before it are known. A checkpoint counts the rows that are done; after a crash all others are sent again.
 */
export class Ledger {
  readonly #limit: number;
  readonly #done: (at: RowAt, result: RowResult) => void;
  #entries: Entry[] = [];
  #first = 0;
  #waiting: (() => void) | undefined;

  /**
   * @param limit the most rows on their way, which are in memory
   * @param done called with each row in order
   */
  constructor(limit: number, done: (at: RowAt, result: RowResult) => void) {
    this.#limit = limit;
    this.#done = done;
  }

  /** Rows that are not done. */
  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** Undefined if there is room for a row; otherwise a promise that resolves when there is. For one caller at a time. */
  room(): Promise<void> | undefined {
    if (this.size < this.#limit) return undefined;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Resolves the promise of `room`, because no more rows will be done. */
  release(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  open(at: RowAt): Entry {
    const entry: Entry = { at, result: undefined };
    this.#entries.push(entry);
    return entry;
  }

  /** The first result stands. */
  settle(entry: Entry, result: RowResult): void {
    if (entry.result !== undefined) return;
    entry.result = result;
    while (this.#first < this.#entries.length) {
      const { at, result: known } = this.#entries[this.#first] as Entry;
      if (known === undefined) break;
      this.#first++;
      this.#done(at, known);
    }
    if (this.#first >= COMPACT_AT && this.#first * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    if (this.size < this.#limit) this.release();
  }
}
