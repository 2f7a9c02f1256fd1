import { FLOW, type Hop } from "#contract";
import { StartError } from "#runtime";
import { ask } from "./ask.ts";
import type { Stream } from "./connect.ts";
import type { StreamMessage } from "./message.ts";
import { PARTITIONS_KEY, streamInfo, streamName, subjectName } from "./topology.ts";

/** What a partition's stream holds now. */
export interface StreamState {
  /** When it was made, as the server says: sequences mean nothing in another one. */
  readonly created: string;
  /** Sequence of the oldest message, or where the next one goes in an empty stream. */
  readonly first: number;
  /** Of the newest that was ever stored; 0: none was. */
  readonly last: number;
}

/**
 * @param isSure asks a leader that leads: a node of a cluster that was cut off takes itself for the leader for some 20 s and
 * answers from what it has. A purge is agreed upon by the cluster, so only a true leader confirms it, and this one is of
 * messages that there are none of: on a subject below the stream's own.
 */
export async function readStreamState(
  stream: Stream,
  hop: Hop,
  partition: number,
  isSure = false,
): Promise<StreamState> {
  const name = streamName(stream, hop, partition);
  if (isSure) {
    const filter = `${subjectName(stream, hop, partition)}.none`;
    await stream.manager.streams.purge(name, { filter });
  }
  const { created, state } = await stream.manager.streams.info(name);
  // An empty stream that never held a message says that its first is number 0.
  const first = state.messages === 0 ? state.last_seq + 1 : state.first_seq;
  return { created: String(created), first, last: state.last_seq };
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

/**
 * What a stream still keeps of the messages that its consumer has acknowledged, oldest first: of one that keeps the last of
 * each key, that. What is acknowledged or comes while this reads is the consumer's to bring.
 */
export async function* acknowledgedMessages(stream: Stream, hop: Hop): AsyncGenerator<StreamMessage> {
  const { manager } = stream;
  const name = streamName(stream, hop);
  const { ack_floor } = await ask(stream, () => manager.consumers.info(name, hop.consumer));
  for (let seq = 1; ; ) {
    const query = { seq, next_by_subj: ">" };
    const message = await ask(stream, () => manager.streams.getMessage(name, query));
    if (message === null || message.seq > ack_floor.stream_seq) return;
    const { subject, data, time } = message;
    const facts = { rows: 1, traceIds: "", traceparent: "" };
    yield { subject, partition: 0, sequence: message.seq, data, storedAtMs: time.getTime(), ...facts };
    seq = message.seq + 1;
  }
}

/**
 * How many partitions an installation has: what its first ingest stream was made with, whatever this process is set to.
 * @throws StartError when there are no streams under the prefix
 */
export async function readPartitions(stream: Stream): Promise<number> {
  const name = streamName(stream, FLOW.ingest, 0);
  const partitions = Number((await streamInfo(stream, name))?.config.metadata?.[PARTITIONS_KEY]);
  if (partitions > 0) return partitions;
  throw new StartError(
    "streams_missing",
    `there is no stream ${name}: start Stampede on this NATS first, or set STAMPEDE_STREAM_PREFIX as it does`,
  );
}
