/** Below this many entries that have left, the room that they take is not worth a copy. */
const SLACK = 64;

/** First in, first out, at the same cost for each entry however many there are. */
export class Fifo<T> {
  #entries: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#entries.length - this.#head;
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  /** The first entry, which stays. */
  peek(): T | undefined {
    return this.#entries[this.#head];
  }

  /** Takes the first entry out. */
  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const entry = this.#entries[this.#head];
    // An entry that has left must not be kept alive from here.
    this.#entries[this.#head++] = undefined;
    if (this.#head > SLACK && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }
}
