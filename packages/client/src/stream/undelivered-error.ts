import type { TransactionEvent } from "../generated/publisher-api.ts";
import type { RejectedOutcome } from "./event-outcome.ts";

/** An event that was rejected, and why. */
export interface RejectedResult {
  readonly event: TransactionEvent;
  readonly outcome: RejectedOutcome;
}

/**
 * A stream has failed for good, or was closed before everything was delivered. `cause` says why: most often a
 * `StampedeError`.
 */
export class UndeliveredError extends Error {
  /**
   * All events that the stream had taken and of which it does not know the outcome, in the order in which
   * they were given. Some may have arrived: the answer to their request is what is missing. Sending all of
   * them again is safe.
   */
  readonly events: readonly TransactionEvent[];

  constructor(events: readonly TransactionEvent[], cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${events.length} events are not known to be delivered: ${why}`, { cause });
    this.name = "UndeliveredError";
    this.events = events;
  }
}

/**
 * Events were rejected that were given to `write` while neither `onOutcome` nor `onRejected` listens, so that
 * no code has heard of them. Thrown by `flush` and `close`; everything else is delivered.
 */
export class UnheardRejectionsError extends Error {
  /** The first of them, at most 100. */
  readonly rejected: readonly RejectedResult[];
  /** How many they are in all. */
  readonly total: number;

  constructor(rejected: readonly RejectedResult[], total: number) {
    const [first] = rejected;
    const example = first && `, the first for: ${first.outcome.path ?? ""} ${first.outcome.reason}`;
    super(`${total} events were rejected, and no onRejected or onOutcome listens${example}`);
    this.name = "UnheardRejectionsError";
    this.rejected = rejected;
    this.total = total;
  }
}

/**
 * A failure of which the program does not know yet: no call waited for the stream when it failed, and no listener was
 * given. The next call learns of it. If there is none, the program that ends by itself ends with this error,
 * as it would with an `error` event without a listener, instead of leaving with success.
 */
export class UnheardFailure {
  readonly #tell: () => never;

  constructor(error: Error) {
    this.#tell = () => {
      throw error;
    };
    process.once("beforeExit", this.#tell);
  }

  /** A call or a listener was told. */
  heard(): void {
    process.removeListener("beforeExit", this.#tell);
  }
}
