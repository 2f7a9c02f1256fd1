/**
 * Remembers the last texts that were added: the last `size` at least, twice as many at most. Two sets instead of an LRU
 * cache, since it is asked at every request and it does not matter which of the older texts are forgotten.
 */
export class RecentSet {
  readonly #size: number;
  #now = new Set<string>();
  #before = new Set<string>();

  constructor(size: number) {
    this.#size = size;
  }

  add(text: string): void {
    this.#now.add(text);
    if (this.#now.size < this.#size) return;
    this.#before = this.#now;
    this.#now = new Set();
  }

  delete(text: string): void {
    this.#now.delete(text);
    this.#before.delete(text);
  }

  has(text: string): boolean {
    return this.#now.has(text) || this.#before.has(text);
  }
}
