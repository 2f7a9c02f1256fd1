import { StartError } from "#runtime";

const SLOW_AFTER_MS = 1_000;

/** Writes one line for the person at the terminal. */
export type Say = (message: string) => void;

/** The start was called off by a signal. Not a failure: what had been started is stopped, and the process exits 0. */
export class CalledOff extends StartError {
  constructor() {
    super("called_off", "the start was called off");
  }
}

/**
 * One step of the start: a line with its time when it is done, and one before that if it takes over a second. `done` says
 * what came of it. Between steps a start that was called off ends.
 */
export async function step<T>(
  { say, signal }: { say: Say; signal: AbortSignal },
  name: string,
  work: () => Promise<T>,
  done: (result: T) => string = () => "done",
): Promise<T> {
  if (signal.aborted) throw new CalledOff();
  const startedAt = performance.now();
  const slow = setTimeout(() => say(`${name} …`), SLOW_AFTER_MS);
  try {
    const result = await work();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
    say(`${name}: ${done(result)} (${seconds} s)`);
    return result;
  } finally {
    clearTimeout(slow);
  }
}

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
