import type { Log } from "#runtime";

/**
 * Runs `work` when it is kicked and in any case every `intervalMs`, one run at a time. A kick during a run makes another
 * one follow, since the run may have looked before what the kick tells of.
 */
export class Pulse {
  readonly #options: { name: string; intervalMs: number; spacingMs: number; work(): Promise<void>; log: Log };
  readonly #running: Promise<void>;
  #kicked = false;
  #stopped = false;
  #wake: () => void = () => {};

  /** @param options.spacingMs two runs start at least so far apart, however often it is kicked */
  constructor(options: {
    name: string;
    intervalMs: number;
    spacingMs: number;
    work(): Promise<void>;
    log: Log;
  }) {
    this.#options = options;
    this.#running = this.#run();
  }

  kick(): void {
    this.#kicked = true;
    this.#wake();
  }

  /** Resolves when the run under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, intervalMs, spacingMs, work, log } = this.#options;
    while (!this.#stopped) {
      this.#kicked = false;
      const started = performance.now();
      const failed = await work().then(
        () => false,
        (error) => {
          log.warn({ err: error, work: name }, "webhook work failed");
          return true;
        },
      );
      // After a failure kicks are not heeded: without a database they would make it spin.
      if (failed) await this.#sleep(intervalMs, () => this.#stopped);
      else {
        const rest = spacingMs - (performance.now() - started);
        if (rest > 0) await this.#sleep(rest, () => this.#stopped);
        await this.#sleep(intervalMs, () => this.#stopped || this.#kicked);
      }
    }
  }

  #sleep(ms: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      if (isOver()) return resolve();
      const end = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#wake = () => {
        if (isOver()) end();
      };
    });
  }
}
