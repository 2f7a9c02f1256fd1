/**
 * The deadlines of many items with the same time limit, such as requests that wait for an answer. Nearly all
 * of them end long before. So one timer serves all of them: it waits for the oldest.
 */
export class Deadlines<T> {
  readonly #ms: number;
  readonly #expired: (item: T) => void;
  /** The deadline of each item. They expire in the order in which they began. */
  readonly #ends = new Map<T, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param expired is called once with each item when its time is up; the item is already removed */
  constructor(ms: number, expired: (item: T) => void) {
    this.#ms = ms;
    this.#expired = expired;
  }

  /** Starts the item's time. Call it once for each item. */
  begin(item: T): void {
    this.#ends.set(item, performance.now() + this.#ms);
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#expire(), this.#ms);
    else if (this.#ends.size === 1) this.#timer.ref();
  }

  /**
   * Ends the item's wait. The timer stays for the next one, and does not keep the process alive meanwhile.
   */
  end(item: T): void {
    if (this.#ends.delete(item) && this.#ends.size === 0) this.#timer?.unref();
  }

  #expire(): void {
    const now = performance.now();
    const expired: T[] = [];
    let next: number | undefined;
    for (const [item, end] of this.#ends) {
      if (end > now) {
        next = end;
        break;
      }
      this.#ends.delete(item);
      expired.push(item);
    }
    this.#timer = next === undefined ? undefined : setTimeout(() => this.#expire(), next - now);
    for (const item of expired) this.#expired(item);
  }
}
