import type { Writable } from "node:stream";
import type { WritableStream } from "node:stream/web";
import { LIMITS, type TransactionEvent } from "../generated/publisher-api.ts";
import type { Retry } from "../retry.ts";
import type { EventOutcome, OutcomeCounts, RejectedOutcome } from "./event-outcome.ts";
import type { UndeliveredError } from "./undelivered-error.ts";

export interface StreamOptions {
  /** Events of one request at most, 1 to 5000. Default 500. */
  readonly maxEvents?: number;
  /** Bytes of one request's body, at most 8 MiB. An event that is larger alone is sent alone. Default 1 MB. */
  readonly maxBytes?: number;
  /** How long an event waits for others to fill a request, in milliseconds. Default 20. */
  readonly maxWaitMs?: number;
  /** Requests that are open at the same time, at most; fewer while the service is busy. Default 4. */
  readonly maxInFlight?: number;
  /**
   * How many events the stream holds at most, waiting and on their way. Beyond that `write` and `send` wait.
   * Default 20,000, some 20 MB.
   */
  readonly maxBuffered?: number;
  /** How long a request that fails is repeated before the stream fails. Default 10 minutes. */
  readonly retryForMs?: number;
  /** Every event's outcome is `accepted`, as soon as it is stored durably and before it is applied. */
  readonly respondAsync?: boolean;
  /**
   * Called with every event once its outcome is known, whether the event was given to `write` or to `send`;
   * in the order of answers. If it throws, the stream fails.
   */
  readonly onOutcome?: (event: TransactionEvent, outcome: EventOutcome) => void;
  /** Called with every event that was rejected. If it throws, the stream fails. */
  readonly onRejected?: (event: TransactionEvent, outcome: RejectedOutcome) => void;
  /**
   * Called for every request that failed and will be repeated, such as while the service restarts. `attempt`
   * counts the attempts at this request.
   */
  readonly onRetry?: (retry: Retry) => void;
  /**
   * Called once if the stream fails. Without it, a program that ends before any call has thrown the error
   * ends with this error.
   */
  readonly onError?: (error: UndeliveredError) => void;
}

export interface CloseOptions {
  /**
   * How long to wait for undelivered events, in milliseconds. Then `close` gives up the open requests, and
   * throws. Default: for as long as requests are repeated.
   */
  readonly timeoutMs?: number;
}

/** Sends events in requests of many, several at a time. Made by `client.stream()`. */
export interface EventStream {
  /**
   * Hands over one event. Resolves when there is room for it, and not when it is delivered; never drops it.
   * Waiting for each `write` is what keeps memory bounded.
   * @throws UndeliveredError if the stream has failed; Error if it is closed. The event was not taken.
   */
  write(event: TransactionEvent): Promise<void>;
  /**
   * Hands over one event and waits for its outcome.
   * @throws UndeliveredError if the outcome will not be known; Error if the stream is closed
   */
  send(event: TransactionEvent): Promise<EventOutcome>;
  /**
   * Sends at once all waiting events, and resolves when the outcome of every event given before is known.
   * Events may be given meanwhile.
   * @throws UndeliveredError if the stream has failed or fails; UnheardRejectionsError
   */
  flush(): Promise<void>;
  /**
   * Takes no more events, and flushes. Every further call gives the result of the first.
   * @throws UndeliveredError with everything that is not known to be delivered; UnheardRejectionsError
   */
  close(options?: CloseOptions): Promise<void>;
  /**
   * The end of a `pipeline`, which is over when everything is delivered: ending it flushes the stream and
   * leaves it open. If it is destroyed, the stream still delivers the events that it was given. If the stream
   * fails, it is destroyed.
   */
  toWritable(): Writable;
  /** The same for `readable.pipeTo`. */
  toWebWritable(): WritableStream<TransactionEvent>;
  /** How many events had each outcome, as far as outcomes are known. */
  readonly counts: OutcomeCounts;
  /** Events that it holds now. */
  readonly buffered: number;
}

/** Anything that gives events one by one. */
export type EventSource<E> = Iterable<E> | AsyncIterable<E>;

/** The numbers among the options, in whole steps: the default, and what is allowed. */
const RANGES = {
  maxEvents: [500, 1, LIMITS.eventsPerRequest],
  maxBytes: [1_000_000, 1, LIMITS.bodyBytes],
  maxWaitMs: [20, 0, 60_000],
  maxInFlight: [4, 1, 64],
  maxBuffered: [20_000, 1, 10_000_000],
  // Timers of Node end there.
  retryForMs: [600_000, 0, 2 ** 31 - 1],
} as const;
type Range = keyof typeof RANGES;

/**
 * The options with their defaults.
 * @throws RangeError for a number out of its range, with what it may be
 */
export function checkedOptions(options: StreamOptions): StreamOptions & Record<Range, number> {
  const numbers = Object.entries(RANGES).map(([name, [byDefault, least, most]]) => {
    const value = options[name as Range] ?? byDefault;
    if (Number.isInteger(value) && value >= least && value <= most) return [name, value];
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}, and not ${value}`);
  });
  return { ...options, ...(Object.fromEntries(numbers) as Record<Range, number>) };
}
