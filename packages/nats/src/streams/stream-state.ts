import type { ClusterInfo } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { FLOW, type Hop } from "#contract";
import { StartError } from "#runtime";
import type { Stream } from "../connection/connect.ts";
import { streamName, subjectName } from "./stream-names.ts";
import { PARTITIONS_KEY, streamInfo } from "./topology.ts";

/** The present content of a partition's stream. */
export interface StreamState {
  readonly name: string;
  /**
   * When the stream was created, according to the server: sequences of one stream mean nothing in another.
   */
  readonly created: string;
  /** Sequence of the oldest message, or of the next one in an empty stream. */
  readonly first: number;
  /** Sequence of the newest message ever stored; 0 if none was. */
  readonly last: number;
  readonly messages: number;
  readonly bytes: number;
  /** The size in bytes at which the stream is full; 0 or less: never. */
  readonly maxBytes: number;
  /** The number of its consumers. */
  readonly consumers: number;
  /**
   * When the oldest message was stored, in milliseconds since 1970; undefined: there is none, or the server
   * cannot say.
   */
  readonly firstAtMs: number | undefined;
  /** The server's time, in milliseconds since 1970. */
  readonly nowMs: number;
}

/** Less than the shortest election timeout (4 s), and more than the longest time between two heartbeats (2 s). */
const HEARD_MS = 3_000;

/**
 * @param isSure makes sure that the true leader answers. A node that is cut off from its cluster considers
 * itself the leader for some 20 s and answers from its own data. A purge needs the cluster's agreement, so
 * only a true leader confirms it; this one purges nothing, because its subject, below the stream's own, has
 * no messages. The question that follows goes to all nodes, and the first answer counts: it must show that a
 * leader gave it.
 * @throws if `isSure` and another node than the leader answered
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
  // The server reports year 1 if there is no message, or if it could not read it.
  const firstAt = Date.parse(state.first_ts);
  return {
    name,
    created: String(created),
    // An empty stream that never held a message reports 0 as its first.
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
 * Whether the stream's true leader gave an answer. A node that was cut off answers from its own data for some
 * 7 s, even if it knows no leader; so does a node that has just started. While a leader hears from most nodes,
 * they elect no other.
 */
function isOfLeader(cluster: ClusterInfo | undefined): boolean {
  // A server that is in no cluster.
  if (cluster === undefined) return true;
  const { leader, replicas = [] } = cluster;
  // `replicas` names all nodes but the one that answers.
  if (!leader || replicas.some(({ name }) => name === leader)) return false;
  // Zero: heard from at this very moment, or never. Of the latter the leader has no acknowledgement: it is not
  // current.
  const heard = replicas.filter(({ active, current }) =>
    active === 0 ? current : active > 0 && active < nanos(HEARD_MS),
  );
  return 2 * (1 + heard.length) > 1 + replicas.length;
}

/** Like `readStreamState`, from the true leader; undefined: there is no such stream. */
export async function readStreamIfThere(
  stream: Stream,
  hop: Hop,
  partition: number,
): Promise<StreamState | undefined> {
  const info = await streamInfo(stream, streamName(stream, hop, partition));
  return info && readStreamState(stream, hop, partition, true);
}

/** A stream as known to a reader with a place in it. */
export interface KnownStream {
  /** `StreamState.created`. */
  readonly created: string;
  /** Messages up to this one are known to have been in it. */
  readonly last: number;
  /** When the stream stored that message, like `StreamMessage.storedAtMs`; undefined: not known. */
  readonly lastStoredAtMs?: number | undefined;
}

/**
 * The state of a stream, if it is still the one that was read. It may have been recreated, or restored from
 * an older copy, and then its sequences belong to other messages. Undefined is returned only if the true
 * leader says so.
 *
 * A restored stream that has grown past `last` again is recognised by that message, which is another one. A
 * purge cannot have removed that message: only read messages are purged.
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
 * The number of an installation's partitions: the one with which its first ingest stream was made, whatever
 * this process's settings.
 * @throws StartError if there are no streams under the prefix
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
