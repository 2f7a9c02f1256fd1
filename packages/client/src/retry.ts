import { setTimeout as delay } from "node:timers/promises";
import { retryDelayMs } from "#domain";
import { StampedeError } from "./stampede-error.ts";

/** One attempt that failed and will be followed by another. */
export interface Retry {
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly error: StampedeError;
  readonly delayMs: number;
}

/** Answers of the service, or of a gateway in front of it, that mean "not now". */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** If the service asks to be left alone for longer, the call fails, and the caller decides what to do. */
const LONGEST_WAIT_SECONDS = 30;

interface RetryOptions {
  /** How many attempts in all; 1 means no retry. */
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the attempts are used up; then throws the last error.
 * Waits by the series of `retryDelayMs` (1.5 s in all before the fifth attempt), or longer if `retry-after`
 * says so.
 */
export async function withRetries<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (number >= options.attempts || !isTransient(error)) throw error;
      const delayMs = Math.max(
        retryDelayMs(number, Math.random()),
        Math.ceil((error.retryAfterSeconds ?? 0) * 1000),
      );
      options.onRetry?.({ attempt: number, error, delayMs });
      await wait(delayMs, options.signal);
    }
  }
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch {
    signal?.throwIfAborted();
  }
}

function isTransient(error: unknown): error is StampedeError {
  if (!(error instanceof StampedeError)) return false;
  if ((error.retryAfterSeconds ?? 0) > LONGEST_WAIT_SECONDS) return false;
  return error.code === "connection_error" || TRANSIENT_STATUS.has(error.status) || isInProgress(error);
}

/**
 * An earlier attempt, which was given up or cut off here, is still being worked on under its idempotency key:
 * its answer will come.
 */
function isInProgress(error: StampedeError): boolean {
  return error.code === "conflict" && error.data.reason === "in_progress";
}
