/**
 * Closes everything that was opened, in the opposite order: when a start fails, or when the started service
 * is stopped; and only once, however often it is called. Each opening is followed by its `defer`.
 */
export class Cleanup {
  readonly #steps: Array<() => unknown> = [];
  #done: Promise<void> | undefined;

  /** @param step is awaited before anything opened earlier is closed */
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
