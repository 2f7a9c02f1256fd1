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
/** The upper bound of the wait doubles from the first to the last of these … */
const FIRST_MS = 100;
/** … at which callers ask a service that was away for minutes: soon enough, and not all at once. */
const LONGEST_MS = 20_000;

interface RetryOptions {
  /** No attempt begins later than this many milliseconds after the first one; 0 means no retry. */
  readonly forMs: number;
  readonly signal: AbortSignal | undefined;
  /** No attempt follows once it aborts: the last error is thrown. */
  readonly closing: AbortSignal;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/**
 * Runs `attempt` until it succeeds, fails for good, or the time for further attempts is over; then throws the last
 * error. If the service asks for more time than is left, throws the error at once: the caller decides.
 */
export async function withRetries<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  const { signal, closing } = options;
  const until = performance.now() + options.forMs;
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      const leftMs = until - performance.now();
      if (leftMs <= 0 || !isTransient(error) || closing.aborted) throw error;
      const askedMs = Math.ceil((error.retryAfterSeconds ?? 0) * 1000);
      if (askedMs > leftMs) throw error;
      const delayMs = Math.min(leftMs, askedMs + backoffMs(number, Math.random()));
      options.onRetry?.({ attempt: number, error, delayMs });
      await delay(delayMs, undefined, {
        signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      }).catch(() => {});
      signal?.throwIfAborted();
      if (closing.aborted) throw error;
    }
  }
}

/**
 * Full jitter: any time up to 100 ms, 200 ms, 400 ms, … 20 s. Callers that failed together spread over the
 * whole of it; a fixed wait with a little jitter would bring them back together. It is added to
 * `retry-after`, because the service told all of them the same time.
 * @param random from [0, 1)
 */
export function backoffMs(attempt: number, random: number): number {
  return Math.round(random * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 30)));
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
 * The service still works on an earlier attempt under this idempotency key, which the client gave up or lost:
 * its answer will come.
 */
function isInProgress(error: StampedeError): boolean {
  return error.code === "conflict" && error.data.reason === "in_progress";
}

/**
 * The service does not know whether it has stored all events of an ingest request (contract, section 6). It
 * may have stored some; sending them again is safe, and the only way to know.
 */
function isUnknownOutcome(error: StampedeError): boolean {
  return error.code === "internal_error" && typeof error.data.batch_id === "string";
}
