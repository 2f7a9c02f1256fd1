import type { Fate, RowAt } from "./fate.ts";

/** A row whose fate may not be known yet. */
export interface Entry {
  readonly at: RowAt;
  fate: Fate | undefined;
}

/** Settled entries at the front of the array before the others are moved. */
const COMPACT_AT = 1024;

/**
 * The rows on their way, in the order of their files. Fates come in any order; a row is done when its fate and those of all
 * rows before it are known. A checkpoint counts the rows that are done; after a crash all others are sent again.
 */
export class Ledger {
  readonly #limit: number;
  readonly #done: (at: RowAt, fate: Fate) => void;
  #entries: Entry[] = [];
  #first = 0;
  #waiting: (() => void) | undefined;

  /**
   * @param limit the most rows on their way, which are in memory
   * @param done called with each row in order
   */
  constructor(limit: number, done: (at: RowAt, fate: Fate) => void) {
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
    const entry: Entry = { at, fate: undefined };
    this.#entries.push(entry);
    return entry;
  }

  /** The first fate stands. */
  settle(entry: Entry, fate: Fate): void {
    if (entry.fate !== undefined) return;
    entry.fate = fate;
    while (this.#first < this.#entries.length) {
      const { at, fate: known } = this.#entries[this.#first] as Entry;
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
