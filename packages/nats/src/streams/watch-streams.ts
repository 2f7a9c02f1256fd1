import type { StreamInfo } from "@nats-io/jetstream";
import type { Hop } from "#contract";
import { type Gauge, type Log, type MetricFactory, startSampler } from "#runtime";
import type { Stream } from "../connection/connect.ts";
import { ReplayProgress, replayLeft } from "../read/replay-progress.ts";
import type { PartitionPosition } from "../read/unordered-loop.ts";
import { streamName } from "./stream-names.ts";

const INTERVAL_MS = 5_000;

interface WatchStreamsOptions {
  readonly stream: Stream;
  /** Hops that this process consumes. */
  readonly hops: readonly Hop[];
  /** Hops that have no consumer. */
  readonly kept?: readonly Hop[];
  /** The partitions to sample; asked before each sample, because ownership moves. */
  readonly partitions?: () => readonly number[];
  /** This process's progress in a partition that it owns; undefined: not known at the moment. */
  readonly positionOf?: (hop: Hop, partition: number) => PartitionPosition | undefined;
  /** How long finished messages stay in the streams. */
  readonly replayMinutes?: number;
  readonly intervalMs?: number;
  readonly metrics: MetricFactory;
  readonly log: Log;
}

/**
 * Samples the streams of some hops for Prometheus: waiting messages and their age, messages being handled,
 * the fill, and the number of copies in sync. Call it once in a process, for all its hops, because a metric
 * can be made only once. Resolves after the first sample. Returns the function that ends it.
 */
export async function watchStreams(options: WatchStreamsOptions): Promise<() => void> {
  const { stream, hops, kept = [], partitions = () => [], replayMinutes = 0, metrics, log } = options;
  const gauges = createGauges(metrics);
  const progress = new ReplayProgress(log);
  showPositions(options, () => targetsOf(stream, hops, [], partitions()));
  const sampleOne = async (target: Target, label: Label) => {
    const { name, hop, partition } = target;
    const info = await stream.manager.streams.info(name);
    const position = hop.reading === "owned" ? options.positionOf?.(hop, partition) : undefined;
    const since = await oldestWaitingSince(stream, info, position?.done);
    // By the server's clock, which also stamped the message.
    const now = info.ts === undefined ? Date.now() : Date.parse(info.ts);
    const age = since === undefined ? 0 : Math.max(0, (now - since) / 1000);
    showStream(gauges, label, info, age);
    if (position === undefined) return;
    progress.note(target.label, position);
    const { messages, bytes, first_seq: first, last_seq: last } = info.state;
    // Missing messages do not wait: an operator may have purged unread ones.
    const gone = messages === 0 ? last : first - 1;
    const waiting = Math.max(0, last - Math.max(position.done, gone));
    // Finished messages that are kept do not wait either.
    if (!hop.lastPerKey) gauges.messages.set(label, waiting);
    gauges.pending.set(label, Math.max(0, last - Math.max(position.read, gone)));
    gauges.unacknowledged.set(label, position.read - position.done);
    const ratio = hop.lastPerKey ? 1 : replayRatio(info, now, replayMinutes);
    gauges.replay.set(label, ratio);
    if (hop.lastPerKey) return;
    gauges.replaySeconds.set(label, ratio * replayMinutes * 60);
    // By their mean size.
    gauges.kept.set(label, messages === 0 ? 0 : Math.round(bytes * Math.max(0, 1 - waiting / messages)));
  };
  const sampledAt = showAges(metrics);
  let shown = new Set<string>();
  const sample = async () => {
    const targets = targetsOf(stream, hops, kept, partitions());
    const labels = new Set(targets.map(({ label }) => label));
    // A partition went to another process, which shows it now: this process's last sample is stale.
    for (const label of shown) {
      if (labels.has(label)) continue;
      for (const gauge of Object.values(gauges)) gauge.remove({ stream: label });
      sampledAt.delete(label);
    }
    shown = labels;
    let failure: unknown;
    for (const target of targets) {
      const label = { stream: target.label };
      try {
        await sampleOne(target, label);
        sampledAt.set(target.label, performance.now());
      } catch (error) {
        // A stream that does not answer hides none of the others; its last sample is shown, with its age.
        failure ??= error;
        gauges.current.set(label, 0);
      }
    }
    if (failure !== undefined) throw failure;
  };
  return startSampler({ name: "streams", intervalMs: options.intervalMs ?? INTERVAL_MS, sample, log });
}

/** Shows the age of the samples. @returns when each stream was sampled last; the caller updates it */
function showAges(metrics: MetricFactory): Map<string, number> {
  const sampledAt = new Map<string, number>();
  const gauge: Gauge<"stream"> = metrics.gauge(
    "stampede_stream_sample_age_seconds",
    "Age of the stream's last successful sample.",
    ["stream"],
    () => {
      gauge.reset();
      const now = performance.now();
      for (const [stream, at] of sampledAt) gauge.set({ stream }, (now - at) / 1000);
    },
  );
  return sampledAt;
}

/**
 * Shows this process's progress in each partition that it owns: from memory, so always as of the scrape. The
 * stream's last sequence, which any user may read, minus this is the number of messages that wait at this
 * moment.
 */
function showPositions({ positionOf, metrics }: WatchStreamsOptions, owned: () => readonly Target[]): void {
  const show = (
    name: string,
    help: string,
    read: (position: PartitionPosition, hop: Hop) => number | undefined,
  ) => {
    const gauge: Gauge<"stream"> = metrics.gauge(name, help, ["stream"], () => {
      gauge.reset();
      for (const { hop, partition, label } of owned()) {
        const position = hop.reading === "owned" ? positionOf?.(hop, partition) : undefined;
        const value = position && read(position, hop);
        if (value !== undefined) gauge.set({ stream: label }, value);
      }
    });
  };
  show(
    "stampede_consumer_done_sequence",
    "Sequence up to which all messages are done, of the partitions that this process reads.",
    ({ done }) => done,
  );
  show(
    "stampede_stream_replay_messages",
    "Messages that a replay still has to do; 0 without a replay. A replay begins when the reader goes on from an older place.",
    (position, { lastPerKey }) => (lastPerKey ? undefined : replayLeft(position)),
  );
  show(
    "stampede_stream_replay_since_timestamp_seconds",
    "When the stream stored the last message that was done before the replay under way; 0 without a replay, or if that time is unknown.",
    (position, { lastPerKey }) => {
      if (lastPerKey) return undefined;
      return replayLeft(position) === 0 ? 0 : (position.replay?.sinceMs ?? 0) / 1000;
    },
  );
}

interface Label {
  readonly stream: string;
}

interface Target {
  readonly hop: Hop;
  readonly partition: number;
  readonly name: string;
  /**
   * The name in the flow table, without the prefix: Prometheus distinguishes installations by other labels.
   */
  readonly label: string;
}

function targetsOf(
  stream: Stream,
  hops: readonly Hop[],
  kept: readonly Hop[],
  partitions: readonly number[],
): Target[] {
  const target = (hop: Hop, partition: number): Target => ({
    hop,
    partition,
    name: streamName(stream, hop, partition),
    label: streamName({ prefix: "" }, hop, partition),
  });
  // The only stream of a hop without partitions is read by the owner of partition 0.
  const owned = (hop: Hop) => (hop.partitioned ? partitions : partitions.filter((one) => one === 0));
  return [
    ...hops.flatMap((hop) => owned(hop).map((partition) => target(hop, partition))),
    ...kept.map((hop) => target(hop, 0)),
  ];
}

function createGauges(metrics: MetricFactory) {
  const gauge = (name: string, help: string): Gauge<"stream"> => metrics.gauge(name, help, ["stream"]);
  return {
    messages: gauge(
      "stampede_stream_messages",
      "Messages in the stream that are not done (in DEAD and CONFIG: all).",
    ),
    bytes: gauge("stampede_stream_bytes", "Bytes on disk that the stream's messages take."),
    limit: gauge("stampede_stream_limit_bytes", "Bytes on disk at which the stream is full."),
    oldest: gauge(
      "stampede_stream_oldest_message_age_seconds",
      "Age of the oldest message that is not done (in DEAD: of the oldest); 0 without one.",
    ),
    replicas: gauge("stampede_stream_replicas", "Copies that the stream should have."),
    current: gauge(
      "stampede_stream_replicas_current",
      "Copies in sync, including the leader's; 0 if the stream does not answer.",
    ),
    pending: gauge(
      "stampede_consumer_pending_messages",
      "Messages that the reader has not got yet: its lag.",
    ),
    replay: gauge(
      "stampede_stream_replay_ratio",
      "How far back the stream can be read again, as a share of the replay window: below 1 if the stream's bytes did not suffice.",
    ),
    replaySeconds: gauge(
      "stampede_stream_replay_seconds",
      "How far back the stream can be read again: the replay window, or less if the stream's bytes did not suffice.",
    ),
    kept: gauge(
      "stampede_stream_kept_bytes",
      "Bytes of messages that are done and kept for a replay, estimated by the mean size of a message.",
    ),
    unacknowledged: gauge(
      "stampede_consumer_ack_pending_messages",
      "Messages that the reader has got and has not done.",
    ),
  };
}

function showStream(
  gauges: ReturnType<typeof createGauges>,
  label: Label,
  info: StreamInfo,
  oldestSeconds: number,
): void {
  gauges.messages.set(label, info.state.messages);
  gauges.bytes.set(label, info.state.bytes);
  gauges.limit.set(label, info.config.max_bytes);
  gauges.oldest.set(label, oldestSeconds);
  gauges.replicas.set(label, info.config.num_replicas);
  gauges.current.set(label, currentReplicas(info));
}

/**
 * How far back a stream can be read again, as a share of the window; 1 without a window. A stream that is
 * less than nearly half full has dropped nothing because of its bytes.
 */
function replayRatio({ state, config }: StreamInfo, now: number, minutes: number): number {
  const isShort = config.max_bytes > 0 && state.bytes > 0.4 * config.max_bytes;
  if (minutes === 0 || !isShort || state.messages === 0) return 1;
  return Math.min(1, (now - Date.parse(state.first_ts)) / (minutes * 60_000));
}

/** The leader answers, so it is one of them; a server outside a cluster has no others. */
function currentReplicas({ cluster }: StreamInfo): number {
  const others = cluster?.replicas ?? [];
  return 1 + others.filter(({ current, offline }) => current && !offline).length;
}

/**
 * When the oldest unfinished message was stored, in milliseconds since 1970; undefined if there is none.
 *
 * If this process reads the stream, that is the first message after the finished ones; no other process drops
 * any.
 */
export async function oldestWaitingSince(
  stream: Stream,
  info: StreamInfo,
  done?: number | undefined,
): Promise<number | undefined> {
  const { state } = info;
  if (state.messages === 0) return undefined;
  if (done !== undefined && done >= state.first_seq) {
    return done >= state.last_seq ? undefined : storedAt(stream, info, done + 1);
  }
  const since = Date.parse(state.first_ts);
  // The server reports year 1 if it could not read the message (`selectNextFirst` in its filestore.go). The
  // message cannot be older than the stream, and a broken store may well raise an alarm.
  return since > 0 ? since : Date.parse(info.created);
}

/** When the first message at or after a sequence was stored; undefined if there is none. */
async function storedAt(stream: Stream, { config }: StreamInfo, seq: number): Promise<number | undefined> {
  const query = { seq, next_by_subj: ">" };
  // Undefined if the message was removed since `info` was read.
  const message = await stream.manager.streams.getMessage(config.name, query);
  return message?.time.getTime();
}
