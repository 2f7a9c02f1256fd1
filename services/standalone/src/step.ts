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
