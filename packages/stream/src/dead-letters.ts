import { JetStreamApiError } from "@nats-io/jetstream";
import { type DeadLetter, FLOW, type Hop, type RedriveMessage } from "#contract";
import { partitionOf } from "#domain";
import type { Stream } from "./connect.ts";
import { publishOrThrow } from "./publish.ts";
import { streamName, subjectName } from "./topology.ts";

const NO_MESSAGE_FOUND = 10037;

/** A dead letter as it is stored; `sequence` is its place among them. */
export interface StoredDeadLetter {
  readonly sequence: number;
  readonly at: Date;
  readonly letter: DeadLetter;
}

/**
 * Stores a dead letter. Done before its source is acknowledged: a crash between leaves the source to come again, and
 * the id makes the two letters one.
 * @param part tells several letters of one message apart
 */
export function bury(stream: Stream, letter: DeadLetter, part = "whole"): Promise<void> {
  return publishOrThrow(stream, {
    subject: subjectName(stream, FLOW.dead),
    payload: JSON.stringify(letter),
    id: `dead-${letter.hop}-${letter.partition}-${letter.sequence}-${part}`,
  });
}

/** All dead letters, oldest first. Reads them one by one: there should be few. */
export async function* readDeadLetters(stream: Stream): AsyncGenerator<StoredDeadLetter> {
  const name = streamName(stream, FLOW.dead);
  const { state } = await stream.manager.streams.info(name);
  // A stream that never held a message says that its first is number 0, which cannot be asked for.
  for (let sequence = Math.max(1, state.first_seq); sequence <= state.last_seq; sequence++) {
    const message = await stream.manager.streams.getMessage(name, { seq: sequence }).catch((error) => {
      if (error instanceof JetStreamApiError && error.code === NO_MESSAGE_FOUND) return null;
      throw error;
    });
    if (message === null) continue;
    yield { sequence, at: message.time, letter: message.json<DeadLetter>() };
  }
}

/**
 * Puts a dead event back where it came from, and removes the letter.
 *
 * Published first, removed second: a crash between leaves the letter, and putting it back once more is harmless, because
 * the event is applied by key.
 * @returns false if there is nothing in it that could be put back
 */
export async function redrive(
  stream: Stream,
  stored: StoredDeadLetter,
  partitions: number,
): Promise<boolean> {
  const { letter, sequence } = stored;
  if (letter.row === undefined) return false;
  const message: RedriveMessage = { v: 1, rows: [letter.row] };
  const hop: Hop = FLOW.ingest;
  await publishOrThrow(stream, {
    subject: subjectName(stream, hop, partitionOf(String(letter.row.external_id), partitions)),
    payload: JSON.stringify(message),
    // Not deduplicated against an earlier attempt that died again: the time tells attempts apart.
    id: `redrive-${sequence}-${Date.now()}`,
  });
  await stream.manager.streams.deleteMessage(streamName(stream, FLOW.dead), sequence);
  return true;
}
