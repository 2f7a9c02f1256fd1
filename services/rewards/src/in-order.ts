/** Runs work in parallel, but work that shares a key one after the other, in the order of the calls. Failed work holds up none. */
export class InOrder {
  /** By key: the last work that is not done. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(keys: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
    const before = new Set<Promise<unknown>>();
    for (const key of keys) {
      const other = this.#last.get(key);
      if (other !== undefined) before.add(other);
    }
    const running = before.size === 0 ? work() : Promise.allSettled(before).then(work);
    for (const key of keys) this.#last.set(key, running);
    const end = () => {
      for (const key of keys) if (this.#last.get(key) === running) this.#last.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
