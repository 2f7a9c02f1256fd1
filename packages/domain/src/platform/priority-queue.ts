/** A binary heap: the first by `compare` comes out first. Bounded by what is pushed. */
export class PriorityQueue<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  push(item: T): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as T;
      if (this.#compare(item, above) >= 0) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = item;
  }

  /** undefined when it is empty. */
  pop(): T | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item in the place of the first, and moves it down below everything that comes before it. */
  #sink(item: T): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      if (left >= heap.length) break;
      const rightFirst = right < heap.length && this.#compare(heap[right] as T, heap[left] as T) < 0;
      const child = rightFirst ? right : left;
      if (this.#compare(heap[child] as T, item) >= 0) break;
      heap[at] = heap[child] as T;
      at = child;
    }
    heap[at] = item;
  }
}
