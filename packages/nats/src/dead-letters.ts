import { JetStreamApiError } from "@nats-io/jetstream";
import { FLOW, type Hop } from "#contract";
import type { DeadLetter, RedriveMessage, SettlementMessage } from "#contract/ingest";
import { partitionOf } from "#domain";
import type { Stream } from "./connect.ts";
import { type Publication, publishOrThrow } from "./publish.ts";
import { streamName, subjectName } from "./stream-names.ts";

const NO_MESSAGE_FOUND = 10037;

/** A dead letter as it is stored; `sequence` is its place among them. */
export interface StoredDeadLetter {
  readonly sequence: number;
  readonly at: Date;
  readonly letter: DeadLetter;
}

/**
 * Stores a dead letter. Call it before the source counts as done: after a crash in between the source comes
 * again, and the id makes the two letters one.
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
 * Puts what a dead letter is about back where it came from, and removes the letter.
 *
 * Published first, removed second: a crash in between leaves the letter, and putting its content back once
 * more is harmless, because an event is applied by key, and an outcome or settlement that was applied before
 * is recognised.
 * @returns false if the letter holds nothing that could be put back
 */
export async function redrive(
  stream: Stream,
  stored: StoredDeadLetter,
  partitions: number,
): Promise<boolean> {
  const { letter, sequence } = stored;
  const message = messageOf(stream, letter, partitions);
  if (message === undefined) return false;
  await publishOrThrow(stream, {
    ...message,
    // Not to be deduplicated against an earlier redrive that died again: the time tells them apart.
    id: `redrive-${sequence}-${Date.now()}`,
  });
  await stream.manager.streams.deleteMessage(streamName(stream, FLOW.dead), sequence);
  return true;
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
  // Back to the partition that it came from; there may be fewer by now.
  const partition = from % partitions;
  if (outcome !== undefined) return publication(FLOW.outcomes, { v: 1, outcomes: [outcome] }, partition);
  if (settlement !== undefined) {
    const message: SettlementMessage = { v: 1, settlements: [settlement] };
    return publication(FLOW.settlement, message, partition);
  }
  return undefined;
}
