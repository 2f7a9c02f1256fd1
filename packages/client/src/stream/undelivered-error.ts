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
   * All events that the stream has taken and whose outcome it does not know, in the order given. Some may
   * have arrived: only the answer to their request is missing. Sending all of them again is safe.
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
 * Events that were given to `write` were rejected, and neither `onOutcome` nor `onRejected` listens, so no
 * code has learnt of it. Thrown by `flush` and `close`; all other events are delivered.
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
 * A failure of which the program does not know yet: no call waited for the stream when it failed, and no
 * listener was given. The next call throws it. If no call follows, the program ends with this error instead
 * of with success, as it would with an `error` event without a listener.
 */
export class UnheardFailure {
  readonly #tell: () => never;

  constructor(error: Error) {
    this.#tell = () => {
      throw error;
    };
    process.once("beforeExit", this.#tell);
  }

  /** A call or a listener has learnt of it. */
  heard(): void {
    process.removeListener("beforeExit", this.#tell);
  }
}
