import { type ConsumerInfo, RetentionPolicy, type StreamInfo } from "@nats-io/jetstream";
import type { Hop } from "#contract";
import { type Gauge, type Log, type MetricFactory, startSampler } from "#runtime";
import type { Stream } from "./connect.ts";
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
  /** How far this process is with a partition that it owns; undefined if it does not know at the moment. */
  readonly positionOf?: (partition: number) => PartitionPosition | undefined;
  readonly intervalMs?: number;
  readonly metrics: MetricFactory;
  readonly log: Log;
}

/** The sequence of the last message that was read, and the one up to which nothing is left to do. */
interface PartitionPosition {
  readonly read: number;
  readonly published: number;
}

/**
 * Samples the streams of some hops for Prometheus: what waits in them and since when, what is handed out, how
 * full they are, how many copies are in sync. Call it once in a process, for all its hops, because a metric
 * can be made only once. Resolves after the first sample. Returns the function that ends it.
 */
export async function watchStreams(options: WatchStreamsOptions): Promise<() => void> {
  const { stream, hops, kept = [], partitions = () => [], metrics, log } = options;
  const isShared = hops.some((hop) => hop.reading === "shared");
  const gauges = createGauges(metrics, isShared);
  const sampleOne = async (target: Target, label: Label) => {
    const { name, hop, partition } = target;
    const [info, consumer] = await Promise.all([
      stream.manager.streams.info(name),
      hop.reading === "shared" ? stream.manager.consumers.info(name, hop.consumer) : undefined,
    ]);
    const position = hop.reading === "owned" ? options.positionOf?.(partition) : undefined;
    const since = await oldestWaitingSince(stream, info, consumer, position?.published);
    // By the server's clock, which also stamped the message.
    const now = info.ts === undefined ? Date.now() : Date.parse(info.ts);
    const age = since === undefined ? 0 : Math.max(0, (now - since) / 1000);
    showStream(gauges, label, info, age);
    if (position !== undefined) {
      const last = info.state.last_seq;
      gauges.pending.set(label, Math.max(0, last - position.read));
      gauges.unacknowledged.set(label, position.read - position.published);
    }
    if (consumer === undefined) return;
    gauges.pending.set(label, consumer.num_pending);
    gauges.unacknowledged.set(label, consumer.num_ack_pending);
    gauges.redelivered?.set(label, consumer.num_redelivered);
  };
  let shown = new Set<string>();
  const sample = async () => {
    const targets = targetsOf(stream, hops, kept, partitions());
    const labels = new Set(targets.map(({ label }) => label));
    // A partition went to another process, which shows it now: this process's last sample is stale.
    for (const label of shown) {
      if (!labels.has(label)) for (const gauge of Object.values(gauges)) gauge?.remove({ stream: label });
    }
    shown = labels;
    let failure: unknown;
    for (const target of targets) {
      const label = { stream: target.label };
      try {
        await sampleOne(target, label);
      } catch (error) {
        // A stream that does not answer hides none of the others.
        failure ??= error;
        gauges.current.set(label, 0);
      }
    }
    if (failure !== undefined) throw failure;
  };
  return startSampler({ name: "streams", intervalMs: options.intervalMs ?? INTERVAL_MS, sample, log });
}

interface Label {
  readonly stream: string;
}

interface Target {
  readonly hop: Hop;
  readonly partition: number;
  readonly name: string;
  /** As in the flow table, without the prefix: Prometheus tells installations apart by other labels. */
  readonly label: string;
}

function targetsOf(
  stream: Stream,
  hops: readonly Hop[],
  kept: readonly Hop[],
  partitions: readonly number[],
): Target[] {
  const targets = (hop: Hop): Target[] =>
    (hop.partitioned ? partitions : [0]).map((partition) => ({
      hop,
      partition,
      name: streamName(stream, hop, partition),
      label: streamName({ prefix: "" }, hop, partition),
    }));
  return [...hops, ...kept].flatMap(targets);
}

function createGauges(metrics: MetricFactory, isShared: boolean) {
  const gauge = (name: string, help: string): Gauge<"stream"> => metrics.gauge(name, help, ["stream"]);
  return {
    messages: gauge(
      "stampede_stream_messages",
      "Messages in the stream: those not yet done, and those done within the last second or two.",
    ),
    bytes: gauge("stampede_stream_bytes", "Bytes on disk that the stream's messages take."),
    limit: gauge("stampede_stream_limit_bytes", "Bytes on disk at which the stream is full."),
    oldest: gauge(
      "stampede_stream_oldest_message_age_seconds",
      "Age of the oldest message that is not done (of the oldest of all in DEAD); 0 if there is none.",
    ),
    replicas: gauge("stampede_stream_replicas", "Copies that the stream should have."),
    current: gauge(
      "stampede_stream_replicas_current",
      "Copies in sync, including the leader's; 0 if the stream does not answer.",
    ),
    pending: gauge(
      "stampede_consumer_pending_messages",
      "Messages that were not handed out to a reader yet: its lag.",
    ),
    unacknowledged: gauge(
      "stampede_consumer_ack_pending_messages",
      "Messages that were handed out to a reader and are not done.",
    ),
    // Messages of an owned stream are never handed out again.
    redelivered: isShared
      ? gauge(
          "stampede_consumer_redelivered_messages",
          "Messages handed out more than once and not acknowledged.",
        )
      : undefined,
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

/** The leader answers, so it is one of them; a server without a cluster has no others. */
function currentReplicas({ cluster }: StreamInfo): number {
  const others = cluster?.replicas ?? [];
  return 1 + others.filter(({ current, offline }) => current && !offline).length;
}

/**
 * When the oldest message that is not done was stored, in milliseconds since 1970; undefined if there is
 * none.
 *
 * Where somebody keeps a position in the stream, that is the first message behind the position.
 *
 * A work queue drops every acknowledged message, wherever it stands, and its first message is then the next
 * one that is left: acknowledgements further back leave gaps and do not move it. So its first message is the
 * oldest that waits. In a stream that keeps messages, look behind the consumer's acknowledgement floor
 * instead. Where there is no consumer, nothing is ever acknowledged.
 */
export async function oldestWaitingSince(
  stream: Stream,
  info: StreamInfo,
  consumer: ConsumerInfo | undefined,
  position?: number | undefined,
): Promise<number | undefined> {
  const { state, config } = info;
  if (state.messages === 0) return undefined;
  if (position !== undefined && position >= state.first_seq) {
    return position >= state.last_seq ? undefined : storedAt(stream, info, position + 1);
  }
  if (consumer === undefined || config.retention === RetentionPolicy.Workqueue) {
    const since = Date.parse(state.first_ts);
    // The server says year 1 where it could not read the message (`selectNextFirst` in its filestore.go). The
    // message cannot be older than the stream, and a broken store may well raise an alarm.
    return since > 0 ? since : Date.parse(info.created);
  }
  if (consumer.num_pending + consumer.num_ack_pending === 0) return undefined;
  return storedAt(stream, info, consumer.ack_floor.stream_seq + 1);
}

/** When the first message at or behind a sequence was stored; undefined if there is none. */
async function storedAt(stream: Stream, { config }: StreamInfo, seq: number): Promise<number | undefined> {
  const query = { seq, next_by_subj: ">" };
  // Undefined when the message went away since `info` was read.
  const message = await stream.manager.streams.getMessage(config.name, query);
  return message?.time.getTime();
}
