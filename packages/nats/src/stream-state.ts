import type { Hop } from "#contract";
import type { Stream } from "./connect.ts";
import { streamName, subjectName } from "./topology.ts";

/** What a partition's stream holds now. */
export interface StreamState {
  /** When it was made, as the server says: sequences mean nothing in another one. */
  readonly created: string;
  /** Sequence of the oldest message, or where the next one goes in an empty stream. */
  readonly first: number;
  /** Of the newest that was ever stored; 0: none was. */
  readonly last: number;
}

export async function readStreamState(stream: Stream, hop: Hop, partition: number): Promise<StreamState> {
  const { created, state } = await stream.manager.streams.info(streamName(stream, hop, partition));
  // An empty stream that never held a message says that its first is number 0.
  const first = state.messages === 0 ? state.last_seq + 1 : state.first_seq;
  return { created: String(created), first, last: state.last_seq };
}

/**
 * The same from a leader that leads: a node of a cluster that was cut off takes itself for the leader for some 20 s and answers
 * from what it has. A purge is agreed upon by the cluster, so only a true leader confirms it, and this one is of messages that
 * there are none of: on a subject below the stream's own.
 */
export async function readStreamStateForSure(
  stream: Stream,
  hop: Hop,
  partition: number,
): Promise<StreamState> {
  const filter = `${subjectName(stream, hop, partition)}.none`;
  await stream.manager.streams.purge(streamName(stream, hop, partition), { filter });
  return readStreamState(stream, hop, partition);
}

/** Drops all messages up to a sequence, that one among them. @throws RangeError below 1: the server would drop them all */
export async function purgeThrough(
  stream: Stream,
  hop: Hop,
  partition: number,
  sequence: number,
): Promise<void> {
  if (sequence < 1) throw new RangeError(`nothing ends at ${sequence}`);
  await stream.manager.streams.purge(streamName(stream, hop, partition), { seq: sequence + 1 });
}
