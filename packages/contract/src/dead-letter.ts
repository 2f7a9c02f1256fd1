import type { BatchEvent } from "#domain";
import type { Settlement } from "./ingest-message.ts";

/**
 * What is kept of something that can never be handled. It holds no card data: identifiers were hashed before,
 * and of a message that could not even be read only its place in the stream is kept.
 */
export interface DeadLetter {
  /**
   * - `unreadable_message`: not JSON.
   * - `poison_event`, `refused_by_database`: the database refuses the event.
   * - `invalid_message`, `invalid_outcome`, `invalid_record`: another system wrote it, and not as its schema
   *   says.
   * - `unreadable_letter`: what stands in the stream of dead letters is none.
   */
  readonly reason: string;
  /** The stream that it came from, the partition (0 where there is none) and the sequence there. */
  readonly hop: string;
  readonly partition: number;
  readonly sequence: number;
  /** SQLSTATE, where the database refused. */
  readonly error?: string;
  /* What the letter is about: one of the following. Without any of the first three, it cannot be put back. */
  /** The event, as the row that it would have made. */
  readonly row?: BatchEvent;
  /** What came in the place of an `Outcome`, unchanged. */
  readonly outcome?: unknown;
  readonly settlement?: Settlement;
  /** As the record for the platform names it. Nothing else of a record is kept, so it cannot be put back. */
  readonly transactionId?: string;
}

/**
 * A message that puts dead events back: as rows, because the raw events are gone. It travels in the same
 * streams as ingest messages, and nobody waits for its outcome.
 */
export interface RedriveMessage {
  readonly v: 1;
  readonly rows: readonly BatchEvent[];
}
