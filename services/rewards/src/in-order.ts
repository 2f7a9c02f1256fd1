/**
 * Runs work side by side, but what has a key in common one after the other, in the order in which it was asked for. What follows
 * work that failed fails with it: whoever tries that again does so in the same order.
 */
export class InOrder {
  /** By key, the work that was asked for last and is not done. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(keys: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
    const before = new Set<Promise<unknown>>();
    for (const key of keys) {
      const other = this.#last.get(key);
      if (other !== undefined) before.add(other);
    }
    const running = before.size === 0 ? work() : Promise.all(before).then(work);
    for (const key of keys) this.#last.set(key, running);
    const end = () => {
      for (const key of keys) if (this.#last.get(key) === running) this.#last.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
