import { setTimeout as delay } from "node:timers/promises";

export interface WaitOptions {
  /** Default 10 s: far more than what is waited for takes, for slow machines. */
  readonly deadlineMs?: number;
  /** What did not happen, for the failure. */
  readonly message: string;
}

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

const POLL_MS = 20;

/**
 * Waits until the condition gives something truthy, and returns that. A condition that throws is not fulfilled yet; the
 * last thing it threw becomes the cause when the deadline passes.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { deadlineMs = 10_000, message }: WaitOptions,
): Promise<Truthy<T>> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as Truthy<T>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${message}`, { cause });
    await delay(POLL_MS);
  }
}
