/**
 * Closes what was opened, in the opposite order: when a start fails, or when what it started is stopped; and
 * only once, however often it is called. Each thing that is opened is deferred next to its opening.
 */
export class Closing {
  readonly #steps: Array<() => unknown> = [];
  #done: Promise<void> | undefined;

  /** @param step is waited for before anything that was opened earlier is closed */
  defer(step: () => unknown): void {
    this.#steps.push(step);
  }

  close(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step();
  }
}
