import type { Hop } from "#contract";
import { type Log, type MetricFactory, startSampler } from "#runtime";
import type { Stream } from "./connect.ts";
import { streamName } from "./topology.ts";

const INTERVAL_MS = 5_000;

/**
 * Samples the streams of some hops for Prometheus: what waits in them, what is handed out, how full they are. Once for
 * all that a process consumes, because a metric is made once.
 * @param partitions those to look at now; asked again each time, because ownership moves. Not for hops without any
 */
export async function watchStreams(options: {
  stream: Stream;
  hops: readonly Hop[];
  partitions?: () => readonly number[];
  metrics: MetricFactory;
  log: Log;
}): Promise<() => void> {
  const { stream, hops, partitions = () => [], metrics, log } = options;
  const gauge = (name: string, help: string) => metrics.gauge(name, help, ["stream"]);
  const messages = gauge("stampede_stream_messages", "Messages stored and not yet done.");
  const bytes = gauge("stampede_stream_bytes", "Disk that the stream's messages take.");
  const limit = gauge("stampede_stream_bytes_limit", "Disk at which the stream refuses.");
  const pending = gauge("stampede_consumer_pending", "Messages not yet handed to the consumer: its lag.");
  const unacknowledged = gauge("stampede_consumer_ack_pending", "Messages handed out and not acknowledged.");
  const redelivered = gauge(
    "stampede_consumer_redelivered",
    "Messages handed out more than once and not acknowledged.",
  );
  const sampleOne = async (hop: Hop, partition?: number) => {
    const name = streamName(stream, hop, partition);
    const [info, consumer] = await Promise.all([
      stream.manager.streams.info(name),
      stream.manager.consumers.info(name, hop.consumer),
    ]);
    // As in the flow table: the prefix tells installations apart, which Prometheus does by other labels.
    const label = { stream: streamName({ prefix: "" }, hop, partition) };
    messages.set(label, info.state.messages);
    bytes.set(label, info.state.bytes);
    limit.set(label, info.config.max_bytes);
    pending.set(label, consumer.num_pending);
    unacknowledged.set(label, consumer.num_ack_pending);
    redelivered.set(label, consumer.num_redelivered);
  };
  const sample = async () => {
    for (const hop of hops) {
      if (!hop.partitioned) await sampleOne(hop);
      else for (const partition of partitions()) await sampleOne(hop, partition);
    }
  };
  return startSampler({ name: "streams", intervalMs: INTERVAL_MS, sample, log });
}
