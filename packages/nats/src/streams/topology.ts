import { isDeepStrictEqual } from "node:util";
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { FLOW, type Hop, hopsOf, LIMITS } from "#contract";
import { type Settings, StartError } from "#runtime";
import type { Stream } from "../connection/connect.ts";
import { isRefused, NO_PEERS, untilLed } from "../connection/nats-errors.ts";
import { partitionsOf, streamName, streamSubject } from "./stream-names.ts";

/** A message is kept until it is purged, is too old, or makes room in a stream that drops the oldest. */
export const RETENTION = RetentionPolicy.Limits;

export const STREAM_NOT_FOUND = 10059;
/** The server has less storage left than the stream may take. */
const NO_STORAGE = 10047;
/** Several copies were requested from a server outside a cluster. */
const NO_CLUSTER = 10074;
/** The metadata key under which a stream stores the number of its hop's partitions. */
export const PARTITIONS_KEY = "stampede-partitions";
/**
 * The server drops a second message with the same id within this window, so a publish whose acknowledgement
 * was lost can be repeated. This only saves work; the guarantee is the key in Postgres.
 */
const DUPLICATE_WINDOW_MS = 120_000;

export interface TopologyOptions {
  /** The number of streams of a partitioned hop. */
  readonly partitions: number;
  /** Disk for one stream, in bytes; when it is full, publishing is refused. */
  readonly maxBytes: number;
  /** Disk for all streams of a hop that is a link (`Hop.link`). */
  readonly linkMaxBytes: number;
  /** Copies of each stream, each on another server of the cluster. Absent: 1. */
  readonly replicas?: number;
}

export function topologyOf(
  settings: Pick<Settings, "partitions" | "streamMaxBytes" | "linkMaxBytes" | "streamReplicas">,
): TopologyOptions {
  const { partitions, streamMaxBytes, linkMaxBytes, streamReplicas } = settings;
  return { partitions, maxBytes: streamMaxBytes, linkMaxBytes, replicas: Number(streamReplicas) };
}

/**
 * Creates the streams that `FLOW` lists, or brings existing ones to its settings. Any number of processes may
 * do this at the same time.
 * @param service only the streams that this service writes or reads; absent: all of them
 * @throws StartError when the server has no room; when the streams were made with another number of
 * partitions (messages of one transaction would wait in two streams, and overtake each other); when an older
 * release made a stream with another retention; or when this NATS user may not make a change that is needed
 */
export async function ensureTopology(
  stream: Stream,
  options: TopologyOptions,
  service?: string,
): Promise<void> {
  for (const hop of service === undefined ? Object.values<Hop>(FLOW) : hopsOf(service)) {
    for (const partition of partitionsOf(hop, options.partitions)) {
      await untilLed(() => ensureStream(stream, hop, partition, options)).catch((error) => {
        throw explainRefusal(error, streamName(stream, hop, partition), roomOf(hop, options), options);
      });
    }
  }
}

/** The size limit of a stream in bytes, and the setting for it. */
interface Room {
  readonly bytes: number;
  readonly setting: string;
}

export function roomOf(
  hop: Hop,
  { partitions, maxBytes, linkMaxBytes }: Pick<TopologyOptions, "partitions" | "maxBytes" | "linkMaxBytes">,
): Room {
  if (!hop.link) return { bytes: maxBytes, setting: "STAMPEDE_STREAM_MAX_BYTES" };
  const share = Math.floor(linkMaxBytes / partitions);
  return { bytes: Math.max(share, LIMITS.messageBytesMax), setting: "STAMPEDE_LINK_MAX_BYTES" };
}

/** Advice if there is no room for a stream. NATS reserves `max_bytes`, so it may refuse on an empty disk. */
function explainRefusal(
  error: unknown,
  name: string,
  { bytes, setting }: Room,
  { replicas = 1 }: TopologyOptions,
): unknown {
  if (!(error instanceof JetStreamApiError)) return error;
  const mib = Math.ceil(bytes / 2 ** 20);
  const because = (code: string, why: string) => new StartError(code, why, { cause: error });
  switch (error.code) {
    case NO_STORAGE: {
      const what = `NATS has no room for stream ${name} of ${mib} MiB`;
      return because("stream_storage", `${what}: free disk space, or set a smaller ${setting}`);
    }
    case NO_CLUSTER: {
      const what = `stream ${name} cannot have ${replicas} copies on a NATS server that is alone`;
      return because(
        "stream_replicas",
        `${what}: run a cluster of ${replicas}, or set STAMPEDE_STREAM_REPLICAS=1`,
      );
    }
    case NO_PEERS: {
      const what = `the NATS cluster has not ${replicas} servers with room for ${mib} MiB of stream ${name}`;
      const doThis = `start all of them, free disk space, or set a smaller ${setting} or STAMPEDE_STREAM_REPLICAS`;
      return because("stream_placement", `${what} (${error.message}): ${doThis}`);
    }
    default:
      return error;
  }
}

/** The part of a stream's configuration that can be changed later, with the values it should have. */
export function settingsOf(
  stream: Pick<Stream, "prefix">,
  hop: Hop,
  partition: number,
  options: TopologyOptions,
) {
  return {
    subjects: [streamSubject(stream, hop, partition)],
    ...(hop.lastPerKey && { max_msgs_per_subject: 1 }),
    max_bytes: roomOf(hop, options).bytes,
    max_msg_size: LIMITS.messageBytesMax,
    max_age: nanos(hop.maxAgeMs),
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    metadata: { [PARTITIONS_KEY]: String(options.partitions) },
  };
}

/** Makes one stream, or brings it to its settings. */
export async function ensureStream(
  stream: Stream,
  hop: Hop,
  partition: number,
  options: TopologyOptions,
): Promise<void> {
  const name = streamName(stream, hop, partition);
  const settings = settingsOf(stream, hop, partition, options);
  const { replicas = 1 } = options;
  const existing = await streamInfo(stream, name).catch((error) => {
    throw explainRights(error, `stream ${name} may not be looked at`);
  });
  if (existing === undefined) {
    const add = stream.manager.streams.add({
      name,
      ...settings,
      num_replicas: replicas,
      storage: StorageType.File,
      retention: RETENTION,
      // A full stream refuses new messages and never silently drops the oldest; only a stream marked
      // drop-oldest in the flow table makes room that way.
      discard: hop.full === "refuse" ? DiscardPolicy.New : DiscardPolicy.Old,
    });
    await add.catch((error) => {
      throw explainRights(error, `there is no stream ${name}, and it may not be made`);
    });
    return;
  }
  const made = existing.config.metadata?.[PARTITIONS_KEY];
  if (hop.partitioned && made !== undefined && made !== String(options.partitions)) {
    throw new StartError(
      "partitions_changed",
      `stream ${name} was made with ${made} partitions: set STAMPEDE_PARTITIONS=${made}, or drain and delete the streams first`,
    );
  }
  if (existing.config.retention !== RETENTION) throw wrongKind(name, existing);
  // Equal settings are not sent: the server demands room for the whole stream even for an update that changes
  // nothing, and may have less of it than when the stream was made, because the streams themselves have
  // grown. Copies are only ever added: a process that was started without the setting must not remove copies
  // that others rely on.
  const wanted = { ...settings, num_replicas: Math.max(replicas, existing.config.num_replicas) };
  if (!differs(existing.config, wanted)) return;
  await stream.manager.streams.update(name, wanted).catch((error) => {
    throw explainRights(error, `stream ${name} is not as this process is set, and it may not be changed`);
  });
}

/** Under least rights, only the operator makes streams. */
function explainRights(error: unknown, what: string): unknown {
  if (!isRefused(error)) return error;
  const doThis = "run `stampede migrate` with the operator's NATS_URL and the settings of the services";
  return new StartError("nats_rights", `${what} by this NATS user: ${doThis}`, { cause: error });
}

/**
 * The server cannot change how a stream keeps its messages. Making the stream again is left to the operator:
 * of several processes that start together, one that looked a moment ago would delete the stream that another
 * has just made, with its messages.
 */
function wrongKind(name: string, { config, state }: StreamInfo): StartError {
  return new StartError(
    "stream_retention",
    `stream ${name} was made by an older release and NATS cannot change its retention (${config.retention}): stop all ` +
      `processes, delete it (nats stream rm ${name}; for the embedded NATS, remove the folder nats of the data ` +
      `directory) and start again. Messages in it, which are not sent again: ${state.messages}`,
  );
}

/** Whether a stream differs from its settings. The server adds its own entries to the metadata. */
function differs(config: StreamConfig, settings: Partial<StreamConfig>): boolean {
  const { metadata = {}, ...others } = settings;
  const isMarked = Object.entries(metadata).every(([key, value]) => config.metadata?.[key] === value);
  return !isMarked || !isDeepStrictEqual({ ...config, ...others, metadata: config.metadata }, config);
}

export async function streamInfo(stream: Stream, name: string): Promise<StreamInfo | undefined> {
  try {
    return await stream.manager.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
    throw error;
  }
}
