import { type DeadLetter, type Issue, LIMITS } from "#contract";
import { nameUuid } from "#domain";
import { bury, type Stream } from "#nats";
import type { Log } from "#runtime";

/** One entry of a packed message that can never be handled. */
export interface DeadEntry {
  readonly reason: "invalid_outcome" | "refused_by_database";
  /** The stream of its message. */
  readonly hop: string;
  readonly sequence: number;
  /** The field of the letter that keeps it. */
  readonly as: "outcome" | "settlement";
  readonly entry: unknown;
  /** SQLSTATE, where the database refused. */
  readonly error?: string;
  /** Where it is not as the schema says; for the log. */
  readonly issues?: readonly Issue[];
}

/**
 * Buries an entry of a message by itself, with what it said, so that an operator can see it and put it back: neither
 * outcomes nor settlements hold card data. One that would hardly fit into a message of its own is left out of its letter,
 * which the stream would otherwise refuse time and again.
 *
 * The letter's id is made of what it said: a stream that was wiped gives the same sequence to another message.
 */
export async function buryEntry(stream: Stream, log: Log, dead: DeadEntry): Promise<void> {
  const { as, entry, issues, ...head } = dead;
  log.error({ ...head, issues }, `${as} is dead`);
  const text = JSON.stringify(entry);
  const isKept = Buffer.byteLength(text) <= LIMITS.messageBytes;
  const letter: DeadLetter = { ...head, partition: 0, ...(isKept && { [as]: entry }) };
  await bury(stream, letter, nameUuid(text));
}
