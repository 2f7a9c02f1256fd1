import type { BatchEvent } from "#domain";
import type { Settlement } from "./settlement-message.ts";

/**
 * What is kept of something that can never be handled. It holds no card data: identifiers were hashed before, and a
 * message that could not even be read is described by its size and hash only.
 */
export interface DeadLetter {
  /**
   * `unreadable_message`; `poison_event` or `refused_by_database`: the database refuses what it says;
   * `invalid_message`, `invalid_outcome` or `invalid_record`: another system wrote it, and not as its schema says.
   */
  readonly reason: string;
  /** Stream it came from, partition (0 where it has none) and sequence there. */
  readonly hop: string;
  readonly partition: number;
  readonly sequence: number;
  /** SQLSTATE, where the database refused. */
  readonly error?: string;
  /*
   * What it is about, one of these. None: it cannot be put back.
   */
  /** The event, as the row that it would have made. */
  readonly row?: BatchEvent;
  /** What came in the place of an `Outcome`, as it came. */
  readonly outcome?: unknown;
  readonly settlement?: Settlement;
  /** As a record for the platform says it. Nothing else of a record is kept, so it cannot be put back. */
  readonly transactionId?: string;
}

/**
 * A message that puts dead events back: rows instead of raw events, because the raw ones are gone. It travels in the
 * same streams as `IngestMessage`, and nobody waits for its outcome.
 */
export interface RedriveMessage {
  readonly v: 1;
  readonly rows: readonly BatchEvent[];
}
