/**
 * The last texts that were added, at least `size` and at most twice as many of them. Two sets and no LRU: it is asked at
 * every request, and nobody minds which of the older ones it has forgotten.
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
