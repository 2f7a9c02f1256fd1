/**
 * What was opened, to be closed in the opposite order: when a start fails or its result is stopped, and once, however often
 * it is asked for. Each thing that is opened is deferred beside its opening.
 */
export class Closing {
  readonly #steps: Array<() => unknown> = [];
  #done: Promise<void> | undefined;

  /** @param step is waited for before what was opened earlier is closed */
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
