import type { ReadFrom, StreamMessage } from "#nats";
import type { KnownKeys } from "../batch/known-keys.ts";
import type { PositionMove, Replay } from "./ingest-position.ts";

/** A partition that this process owns, from the take-over until the loss. */
export interface Ownership {
  /** The keys known to be stored or new since the take-over. */
  readonly keys: KnownKeys;
  readonly partition: number;
  readonly epoch: number;
  /** The reading of its messages, from the stream that the position belongs to. */
  readonly reading: ReadFrom;
  readonly replay: Replay | undefined;
  applied: number;
  /** When the stream stored the message `applied`; null: not known. */
  storedAtMs: number | null;
  /** The last message that went into a batch. */
  taken: number;
  /** Messages that went into a batch and are not published yet, in their order. */
  readonly open: Set<number>;
  /** The value of `published` in the database. */
  written: number;
  /** The number of lost connections to NATS when the stream was last compared with its last message. */
  comparedAt: number;
  /** Whether a batch with messages of the partition is committing. */
  isMoving: boolean;
}

/** Messages of a batch, in the order of their streams, and the mark of each. */
export interface MarkedMessages {
  readonly messages: readonly StreamMessage[];
  readonly marks: readonly Mark[];
}

/**
 * Whether a message is read again: the stream held it when its partition was first taken over in this
 * database server.
 */
export function isReadAgain({ sequence }: StreamMessage, { ownership: { replay } }: Mark): boolean {
  return replay !== undefined && sequence <= replay.through;
}

/** Whether a batch has such a message. Nearly never, and every batch asks. */
export function hasReadAgain({ messages, marks }: MarkedMessages): boolean {
  return messages.some((message, i) => isReadAgain(message, marks[i] as Mark));
}

/** One message of a batch. */
export interface Mark {
  /**
   * The ownership under which it was read. A batch decides, commits and finishes under this ownership and no
   * later one.
   */
  readonly ownership: Ownership;
  /** An earlier owner applied it, and may not have published what follows from it. */
  readonly isApplied: boolean;
  /** Call it once what follows is published: the position may then move past the message. */
  finish(): void;
}

/**
 * Notes that a batch has the message, which stays open until what follows from it is published. After a lost
 * batch, a finished message may be read again.
 */
export function take(owned: Ownership, sequence: number): void {
  if (sequence <= owned.written) return;
  owned.taken = Math.max(owned.taken, sequence);
  owned.open.add(sequence);
}

export function publishedOf({ taken, open }: Ownership): number {
  const [first] = open;
  return first === undefined ? taken : first - 1;
}

export function toRow(owned: Ownership, applied: number, storedAtMs: number | null): PositionMove {
  const { partition, epoch, applied: from } = owned;
  return { partition, epoch, from, applied, published: publishedOf(owned), storedAtMs };
}
