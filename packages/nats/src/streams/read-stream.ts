import { FLOW, type Hop } from "#contract";
import type { Stream } from "../connection/connect.ts";
import { partitionsOf, streamName } from "./stream-names.ts";
import { streamInfo } from "./topology.ts";

/** One of the streams of an installation. */
export interface StreamPlace {
  readonly hop: Hop;
  readonly partition: number;
  /** The name in the flow table, without the installation's prefix. */
  readonly name: string;
}

/** A stream's report about itself, without reading any message. */
export interface StreamReading {
  readonly messages: number;
  readonly bytes: number;
  /** The size in bytes at which it is full. */
  readonly limitBytes: number;
  /** Sequence of the oldest message; 0 in a stream that never held one. */
  readonly first: number;
  /** Sequence of the newest message ever stored; 0 if none was. */
  readonly last: number;
  /** When those were stored, and when this was read: milliseconds since 1970, all by the server's clock. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly at: number;
}

/** Every stream of an installation. */
export function streamPlaces(partitions: number): StreamPlace[] {
  return Object.values<Hop>(FLOW).flatMap((hop) =>
    partitionsOf(hop, partitions).map((partition) => ({
      hop,
      partition,
      name: streamName({ prefix: "" }, hop, partition),
    })),
  );
}

/** Undefined if there is no such stream. Rejects if no server answers. */
export async function readStream(
  stream: Stream,
  { hop, partition }: StreamPlace,
): Promise<StreamReading | undefined> {
  const info = await streamInfo(stream, streamName(stream, hop, partition));
  if (info === undefined) return undefined;
  const { state, config, ts } = info;
  return {
    messages: state.messages,
    bytes: state.bytes,
    limitBytes: config.max_bytes,
    first: state.first_seq,
    last: state.last_seq,
    firstAt: Date.parse(state.first_ts),
    lastAt: Date.parse(state.last_ts),
    at: ts === undefined ? Date.now() : Date.parse(ts),
  };
}
