import { setTimeout as delay } from "node:timers/promises";
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
/** The longest wait doubles from the first to the last of these … */
const FIRST_MS = 100;
/** … which a service that was away for minutes is asked after: soon enough, and not by all callers at once. */
const LONGEST_MS = 20_000;

interface RetryOptions {
  /** No attempt begins later than this many milliseconds after the first one; 0 means no retry. */
  readonly forMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the time for further attempts is over; then throws the last
 * error. A service that asks for more time than is left is not asked again: the error is thrown at once, and the
 * caller decides.
 */
export async function withRetries<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + options.forMs;
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      const leftMs = until - performance.now();
      if (leftMs <= 0 || !isTransient(error)) throw error;
      const askedMs = Math.ceil((error.retryAfterSeconds ?? 0) * 1000);
      if (askedMs > leftMs) throw error;
      const delayMs = Math.min(leftMs, askedMs + backoffMs(number, Math.random()));
      options.onRetry?.({ attempt: number, error, delayMs });
      await wait(delayMs, options.signal);
    }
  }
}

/**
 * Full jitter: any time up to 100 ms, 200 ms, 400 ms, … 20 s. Callers that failed together spread over the whole of it,
 * where a fixed wait with a little jitter would bring them back together. It is added to what `retry-after` asks for,
 * because all of them were told the same.
 * @param random from [0, 1)
 */
export function backoffMs(attempt: number, random: number): number {
  return Math.round(random * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 30)));
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
  return (
    error.code === "connection_error" ||
    TRANSIENT_STATUS.has(error.status) ||
    isInProgress(error) ||
    isUnknownOutcome(error)
  );
}

/**
 * An earlier attempt, which was given up or cut off here, is still being worked on under its idempotency key:
 * its answer will come.
 */
function isInProgress(error: StampedeError): boolean {
  return error.code === "conflict" && error.data.reason === "in_progress";
}

/**
 * An ingest request of which the service does not know whether all of it is stored (contract, section 6). Some of its
 * events may be; sending them again is safe, and the only way to know.
 */
function isUnknownOutcome(error: StampedeError): boolean {
  return error.code === "internal_error" && typeof error.data.batch_id === "string";
}
