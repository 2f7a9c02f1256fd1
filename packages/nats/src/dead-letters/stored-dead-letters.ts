import { JetStreamApiError } from "@nats-io/jetstream";
import { FLOW, type Hop } from "#contract";
import type { DeadLetter, RedriveMessage, SettlementMessage } from "#contract/ingest";
import { partitionOf } from "#domain";
import type { Stream } from "../connection/connect.ts";
import { type Publication, publishOrThrow } from "../publish/publish.ts";
import { streamName, subjectName } from "../streams/stream-names.ts";

const NO_MESSAGE_FOUND = 10037;

/** A stored dead letter; `sequence` is its place among them. */
export interface StoredDeadLetter {
  readonly sequence: number;
  readonly at: Date;
  readonly letter: DeadLetter;
}

/** How many letters are requested together, so that thousands of them do not need a round trip each. */
const READ_TOGETHER = 32;

/**
 * All dead letters that exist when it begins, oldest first. Leaves out newer ones: a letter that is put back
 * and dies again would otherwise be met again, without end. One that is removed meanwhile may still come.
 * @param after begins after this sequence
 */
export async function* readDeadLetters(stream: Stream, after = 0): AsyncGenerator<StoredDeadLetter> {
  const { state } = await stream.manager.streams.info(streamName(stream, FLOW.dead));
  const subject = subjectName(stream, FLOW.dead);
  // A stream that never held a message reports 0 as its first, which cannot be requested.
  for (let seq = Math.max(1, state.first_seq, after + 1); seq <= state.last_seq; ) {
    const places = Math.min(READ_TOGETHER, state.last_seq - seq + 1);
    // Each requests the next existing letter: letters that were put back leave gaps, which may be long.
    // Before a gap several requests find the same one.
    const found = await Promise.all(
      Array.from({ length: places }, (_, place) =>
        readOne(stream, { seq: seq + place, next_by_subj: subject }),
      ),
    );
    for (const stored of found) {
      if (stored === undefined || stored.sequence > state.last_seq) return;
      if (stored.sequence < seq) continue;
      yield stored;
      seq = stored.sequence + 1;
    }
  }
}

/** The dead letter with this sequence; undefined if there is none. */
export function findDeadLetter(stream: Stream, sequence: number): Promise<StoredDeadLetter | undefined> {
  return readOne(stream, { seq: sequence });
}

/** @param query a sequence, or the first one at or after it with a subject */
async function readOne(
  stream: Stream,
  query: { readonly seq: number; readonly next_by_subj?: string },
): Promise<StoredDeadLetter | undefined> {
  const name = streamName(stream, FLOW.dead);
  const message = await stream.manager.streams.getMessage(name, query).catch((error) => {
    if (error instanceof JetStreamApiError && error.code === NO_MESSAGE_FOUND) return null;
    throw error;
  });
  if (message === null) return undefined;
  return { sequence: message.seq, at: message.time, letter: readLetter(message.data) };
}

/** For reasons and names of streams. */
const NAME = /^[A-Za-z_]{1,64}$/;

/**
 * Shows a message that is no letter as an unknown one, so that it can be discarded. Every service may write
 * into this stream, and one such message would otherwise hide all later ones, and stop the command that puts
 * letters back.
 */
function readLetter(data: Uint8Array): DeadLetter {
  try {
    const letter = JSON.parse(Buffer.from(data).toString("utf8")) as Partial<DeadLetter> | null;
    const { reason, hop, partition, sequence } = letter ?? {};
    const isLetter = NAME.test(String(reason)) && NAME.test(String(hop));
    if (isLetter && Number.isInteger(partition) && Number.isInteger(sequence)) return letter as DeadLetter;
  } catch {
    // Falls through: it is not even JSON.
  }
  return { reason: "unreadable_letter", hop: FLOW.dead.stream, partition: 0, sequence: 0 };
}

/**
 * Puts the content of a dead letter back into its stream, and removes the letter.
 *
 * It publishes first and removes second, so that a kill in between loses nothing: the letter is still there,
 * and a second attempt publishes it under the same id, which the server knows for two minutes. Later, or if
 * another operator put it back at the same time, a second copy is harmless, because an event is applied by
 * key, and a repeated outcome or settlement is recognised.
 * @returns false if the letter has nothing to put back
 */
export async function redrive(
  stream: Stream,
  stored: StoredDeadLetter,
  partitions: number,
): Promise<boolean> {
  const message = messageOf(stream, stored.letter, partitions);
  if (message === undefined) return false;
  // If it dies again, it becomes another letter with another sequence, so that its next redrive is not taken
  // for this one. The time distinguishes letters of a recreated stream, whose sequences began again.
  await publishOrThrow(stream, { ...message, id: `redrive-${stored.sequence}-${stored.at.getTime()}` });
  await discard(stream, stored);
  return true;
}

/** Removes a dead letter for good. A letter that is removed already is no error. */
export async function discard(stream: Stream, { sequence }: StoredDeadLetter): Promise<void> {
  try {
    await stream.manager.streams.deleteMessage(streamName(stream, FLOW.dead), sequence);
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    if ((await findDeadLetter(stream, sequence)) !== undefined) throw error;
  }
}

function messageOf(
  stream: Stream,
  { row, outcome, settlement, partition: from }: DeadLetter,
  partitions: number,
): Pick<Publication, "subject" | "payload"> | undefined {
  const publication = (hop: Hop, message: object, partition: number) => ({
    subject: subjectName(stream, hop, partition),
    payload: JSON.stringify(message),
  });
  if (row !== undefined) {
    const message: RedriveMessage = { v: 1, rows: [row] };
    return publication(FLOW.ingest, message, partitionOf(row.externalId, partitions));
  }
  // Back to its old partition; there may be fewer by now.
  const partition = from % partitions;
  if (outcome !== undefined) return publication(FLOW.outcomes, { v: 1, outcomes: [outcome] }, partition);
  if (settlement !== undefined) {
    const message: SettlementMessage = { v: 1, settlements: [settlement] };
    return publication(FLOW.settlement, message, partition);
  }
  return undefined;
}
