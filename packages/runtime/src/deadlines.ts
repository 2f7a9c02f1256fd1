/**
 * The ends of many things that all have the same time, such as requests that wait for an answer. Nearly all of them are over long
 * before their end. So one timer serves all of them: it waits for the oldest.
 */
export class Deadlines<T> {
  readonly #ms: number;
  readonly #expired: (item: T) => void;
  /** When each one ends. They end in the order in which they began. */
  readonly #ends = new Map<T, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param expired is called once with each item when its time is up; it is forgotten by then */
  constructor(ms: number, expired: (item: T) => void) {
    this.#ms = ms;
    this.#expired = expired;
  }

  /** Its time begins now. To be called once for each item. */
  begin(item: T): void {
    this.#ends.set(item, performance.now() + this.#ms);
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#expire(), this.#ms);
    else if (this.#ends.size === 1) this.#timer.ref();
  }

  /** It is over. The timer stays for the next one, and does not keep the process alive meanwhile. */
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
