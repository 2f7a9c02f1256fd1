interface Due {
  readonly atMs: number;
  /** What is due at one moment happens in the order in which it was asked for. */
  readonly order: number;
  readonly happen: () => void;
}

/** Simulated time: things happen in order of their moments, and nothing else makes time pass. */
export class Clock {
  #nowMs = 0;
  #order = 0;
  /** A binary heap, the first due at its top. */
  readonly #heap: Due[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, happen: () => void): void {
    const due = { atMs: this.#nowMs + delayMs, order: this.#order++, happen };
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(due, heap[parent] as Due)) break;
      heap[at] = heap[parent] as Due;
      at = parent;
    }
    heap[at] = due;
  }

  run(untilMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#removeFirst();
      this.#nowMs = next.atMs;
      next.happen();
    }
    this.#nowMs = untilMs;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as Due;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++;
      if (!isBefore(heap[child] as Due, last)) break;
      heap[at] = heap[child] as Due;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
