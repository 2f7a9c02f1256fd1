/** What is to be undone when a start fails or its result is stopped: latest first, and once, however often it is asked for. */
export class Undo {
  readonly #steps: Array<() => unknown> = [];
  #done: Promise<void> | undefined;

  push(step: () => unknown): void {
    this.#steps.push(step);
  }

  all(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step();
  }
}
