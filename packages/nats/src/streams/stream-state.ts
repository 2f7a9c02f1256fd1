import type { ClusterInfo } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { FLOW, type Hop } from "#contract";
import { StartError } from "#runtime";
import type { Stream } from "../connection/connect.ts";
import { streamName, subjectName } from "./stream-names.ts";
import { PARTITIONS_KEY, streamInfo } from "./topology.ts";

/** What a partition's stream holds now. */
export interface StreamState {
  readonly name: string;
  /** When the stream was made, as the server says: sequences of one stream mean nothing in another. */
  readonly created: string;
  /** Sequence of the oldest message, or where the next one goes in an empty stream. */
  readonly first: number;
  /** Sequence of the newest message that was ever stored; 0 if none was. */
  readonly last: number;
  readonly messages: number;
  readonly bytes: number;
  /** Bytes at which the stream is full; 0 or less: never. */
  readonly maxBytes: number;
  /** How many read it. */
  readonly consumers: number;
  /** When the oldest message was stored, in milliseconds since 1970; undefined: there is none, or the server cannot say. */
  readonly firstAtMs: number | undefined;
  /** The server's time, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** Less than the least time in which a node begins an election (4 s), and more than that between two heartbeats (1 s). */
const HEARD_MS = 3_000;

/**
 * @param isSure makes sure that the true leader answers. A node that is cut off from its cluster takes itself
 * for the leader for some 20 s and answers from what it has. A purge must be agreed upon by the cluster, so
 * only a true leader confirms it; this one purges nothing, because its subject, below the stream's own, has
 * no messages. The question that follows goes to all nodes, and the first answer counts: it has to show that a leader gave it.
 * @throws if it is to be sure, and is not
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
  const { created, state, config, ts, cluster } = await stream.manager.streams.info(name);
  if (isSure && !isOfLeader(cluster)) throw new Error(`${name}: another node than its leader answered`);
  const { messages, bytes, last_seq: last, consumer_count: consumers } = state;
  // The server says year 1 where there is no message, or where it could not read it.
  const firstAt = Date.parse(state.first_ts);
  return {
    name,
    created: String(created),
    // An empty stream that never held a message says that its first is number 0.
    first: messages === 0 ? last + 1 : state.first_seq,
    last,
    messages,
    bytes,
    maxBytes: config.max_bytes,
    consumers,
    firstAtMs: messages > 0 && firstAt > 0 ? firstAt : undefined,
    nowMs: ts === undefined ? Date.now() : Date.parse(ts),
  };
}

/**
 * Whether the stream's true leader gave an answer. A node also answers while it knows no leader, for some 7 s after it was cut off, and when
 * it has just begun: from what it had before. While a leader hears from most nodes, they elect no other.
 */
function isOfLeader(cluster: ClusterInfo | undefined): boolean {
  // A server that is in no cluster.
  if (cluster === undefined) return true;
  const { leader, replicas = [] } = cluster;
  // They are all nodes but the one that answers.
  if (!leader || replicas.some(({ name }) => name === leader)) return false;
  const heard = replicas.filter(({ active }) => active > 0 && active < nanos(HEARD_MS));
  return 2 * (1 + heard.length) > 1 + replicas.length;
}

/** As `readStreamState`, of the true leader; undefined where there is no such stream. */
export async function readStreamIfThere(
  stream: Stream,
  hop: Hop,
  partition: number,
): Promise<StreamState | undefined> {
  const info = await streamInfo(stream, streamName(stream, hop, partition));
  return info && readStreamState(stream, hop, partition, true);
}

/** A stream as a reader knows it that has kept its place in it. */
export interface KnownStream {
  /** `StreamState.created`. */
  readonly created: string;
  /** Up to here messages are known to have been in it. */
  readonly last: number;
  /** When the stream stored that message, as `StreamMessage.storedAtMs`; undefined: not known. */
  readonly lastStoredAtMs?: number | undefined;
}

/**
 * What a stream holds, if it is still the one that was read. It may have been recreated, or restored from an older copy, and then its
 * sequences stand for other messages. Undefined is said only where the true leader says so.
 *
 * A restored stream that has grown past `last` again shows it by that message, which is another one. A purge cannot have taken
 * that one away: what is purged was read.
 */
export async function stateOfSame(
  stream: Stream,
  hop: Hop,
  partition: number,
  known: KnownStream,
): Promise<StreamState | undefined> {
  const look = async (isSure: boolean) => {
    const state = await readStreamState(stream, hop, partition, isSure);
    if (state.created !== known.created || state.last < known.last) return undefined;
    if (known.lastStoredAtMs === undefined || state.first > known.last) return state;
    const name = streamName(stream, hop, partition);
    const message = await stream.manager.streams.getMessage(name, { seq: known.last });
    // Both are cut down from nanoseconds.
    const isThat = message === null || Math.abs(message.time.getTime() - known.lastStoredAtMs) <= 1;
    return isThat ? state : undefined;
  };
  return (await look(false)) ?? (await look(true));
}

/**
 * Drops all messages up to and including a sequence.
 * @throws RangeError below 1: the server would drop all of them
 */
export async function purgeThrough(
  stream: Stream,
  hop: Hop,
  partition: number,
  sequence: number,
): Promise<void> {
  if (sequence < 1) throw new RangeError(`no message has the sequence ${sequence}`);
  await stream.manager.streams.purge(streamName(stream, hop, partition), { seq: sequence + 1 });
}

/**
 * How many partitions an installation has: the number that its first ingest stream was made with, whatever
 * this process is set to.
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
