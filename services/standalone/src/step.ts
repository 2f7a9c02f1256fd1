import { StartError } from "#runtime";

const SLOW_AFTER_MS = 1_000;

/** Writes one line for the person at the terminal. */
export type Say = (message: string) => void;

/**
 * A signal called off the start. That is no failure: what was started is stopped, and the process exits with
 * 0.
 */
export class CalledOff extends StartError {
  constructor() {
    super("called_off", "the start was called off");
  }
}

/**
 * One step of the start: prints a line with its time when it is done, and one before that if it takes more
 * than a second. `done` gives the text for its result. A start that was called off ends between two steps.
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
