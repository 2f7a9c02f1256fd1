import { FLOW, type Hop } from "#contract";
import { type Change, sumOf } from "./change.ts";

/** How far back the streams of a hop can be read again, and the replays under way. */
export interface ReplayStatus {
  /** `Hop.stream`. */
  readonly stream: string;
  /** The service that reads it. */
  readonly reader: string;
  /** The least of its partitions; 0: nothing is kept. */
  readonly seconds: number;
  /** The bytes that all of its partitions keep. */
  readonly bytes: number;
  /** Streams of partitions that keep less than a quarter of the window. */
  readonly short: readonly string[];
  /** Unfinished messages of a replay; 0: there is none. */
  readonly left: number;
  /** The oldest moment from which a replay began, ISO 8601; null: there is none, or it is not known. */
  readonly since: string | null;
}

/** The metrics that `readReplays` reads. */
export const REPLAY_METRICS: readonly string[] = [
  "stampede_stream_replay_seconds",
  "stampede_stream_replay_ratio",
  "stampede_stream_kept_bytes",
  "stampede_stream_replay_messages",
  "stampede_stream_replay_since_timestamp_seconds",
];

/** As in the alert `StampedeReplayShort`. */
const SHORT_RATIO = 0.25;

/** For each hop with streams that a process has shown. */
export function readReplays(change: Change): ReplayStatus[] {
  return Object.values<Hop>(FLOW).flatMap((hop) => {
    const of = (name: string) =>
      change.byStream(`stampede_stream_${name}`, (stream) => stream.startsWith(`${hop.stream}_`));
    const seconds = [...of("replay_seconds").values()];
    const since = [...of("replay_since_timestamp_seconds").values()].filter((seconds) => seconds > 0);
    const [ratios, kept, left] = [of("replay_ratio"), of("kept_bytes"), of("replay_messages")];
    if (seconds.length === 0) return [];
    return [
      {
        stream: hop.stream,
        reader: hop.consumer,
        seconds: Math.min(...seconds),
        bytes: sumOf(kept.values()),
        short: [...ratios].flatMap(([name, ratio]) => (ratio < SHORT_RATIO ? [name] : [])),
        left: sumOf(left.values()),
        since: since.length === 0 ? null : new Date(Math.min(...since) * 1000).toISOString(),
      },
    ];
  });
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** `INGEST can be read again for 60 min (12 MiB); INGEST_2 for less than a quarter of the window`. */
export function describeReplay({
  stream,
  reader,
  seconds,
  bytes,
  short,
  left,
  since,
}: ReplayStatus): string[] {
  const size = bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.ceil(bytes / MIB)} MiB`;
  const time = seconds >= 60 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds)} s`;
  const reach = seconds > 0 ? `${stream} can be read again for ${time} (${size})` : `${stream} keeps nothing`;
  const less = short.length === 0 ? "" : `; ${short.join(", ")} for less than a quarter of the window`;
  if (left === 0) return [reach + less];
  const from = since === null ? "" : ` from ${since} on`;
  return [
    reach + less,
    `${reader} reads ${stream} again${from}: ${left.toLocaleString("en")} ${left === 1 ? "message" : "messages"} left`,
  ];
}
