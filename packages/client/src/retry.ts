import { setTimeout as delay } from "node:timers/promises";
import { retryDelayMs } from "#domain";
import { StampedeError } from "./stampede-error.ts";

/** One attempt that failed and will be followed by another. */
export interface Retry {
  /** 1 for the first. */
  readonly attempt: number;
  readonly error: StampedeError;
  readonly delayMs: number;
}

/** Answers of the service, or of a gateway in front of it, that mean "not now". */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** A service that wants to be left alone for longer is left alone: the caller decides what becomes of the call. */
const LONGEST_WAIT_SECONDS = 30;

interface RetryOptions {
  /** Attempts in all; 1 does not repeat. */
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the attempts are used up; then throws the last error. Waits by
 * the series of `retryDelayMs` (1.5 s in all before the fifth attempt), or longer where `retry-after` says so.
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

/** The attempt before, given up or cut off here, still runs there under its idempotency key: its answer is to come. */
function isInProgress(error: StampedeError): boolean {
  return error.code === "conflict" && error.data.reason === "in_progress";
}
