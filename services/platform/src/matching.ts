import { FLOW, LANES, LIMITS } from "#contract";
import { SharedLoop, type Stream, type TopologyOptions, watchStreams } from "#nats";
import type { Store } from "#postgres";
import { type Log, type MetricFactory, startSampler, type Tracing } from "#runtime";
import { ConfigurationCache } from "./configuration/configuration.ts";
import { measureOutcomeQueue } from "./halves/outcome-queue.ts";
import { startSweep } from "./halves/sweep-halves.ts";
import { createRecordHandler } from "./handle-records.ts";
import { createMatchingMetrics } from "./metrics.ts";
import { type TakePayments, takePayments } from "./payments.ts";
import { OutcomePublisher } from "./publish-outcomes.ts";

/** The part of the platform that brings payments and publisher records together. */
export interface Matching {
  readonly takePayments: TakePayments;
  /** Finishes what is under way. To be called when no more payments are taken. */
  stop(): Promise<void>;
}

interface MatchingParts {
  /** The platform's database, with `DATABASE_CONNECTIONS.platform.matching` connections for matching. */
  readonly store: Store;
  readonly stream: Stream;
  readonly topology: TopologyOptions;
  readonly metrics: MetricFactory;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

const QUEUE_SAMPLE_MS = 5_000;

/** Wires matching: records come from the stream and payments from callers, and outcomes go to the stream. */
export async function startMatching({ store, stream, topology, ...parts }: MatchingParts): Promise<Matching> {
  const { log, tracing } = parts;
  const metrics = createMatchingMetrics(parts.metrics);
  const configuration = new ConfigurationCache(store);
  const publisher = new OutcomePublisher({ store, stream, metrics, tracing, log });
  const onOutcomes = () => publisher.kick();
  const hop = FLOW.platformTransactions;
  const loop = await SharedLoop.start({
    stream,
    hop,
    topology,
    handler: createRecordHandler({ store, stream, configuration, metrics, onOutcomes, log }),
    lanes: LANES.records,
    spacingMs: LIMITS.sharedSpacingMs,
    observer: metrics,
    tracing,
    log,
  });
  parts.metrics.gaugeOf(
    "stampede_platform_messages_held",
    "Messages with records taken and not yet acknowledged.",
    () => loop.held,
  );
  const unwatchStreams = await watchStreams({ stream, hops: [hop], metrics: parts.metrics, log });
  const stopSampling = await startSampler({
    name: "outcome queue",
    intervalMs: QUEUE_SAMPLE_MS,
    sample: async () => metrics.queued(await measureOutcomeQueue(store)),
    log,
  });
  const stopSweep = startSweep(store, metrics, log);
  return {
    takePayments: (...given) => takePayments({ store, configuration, metrics, onOutcomes }, ...given),
    async stop() {
      unwatchStreams();
      stopSampling();
      await stopSweep();
      await loop.stop();
      await publisher.stop();
    },
  };
}
