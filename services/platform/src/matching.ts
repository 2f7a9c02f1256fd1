import { FLOW, LANES, LIMITS, type Payment } from "#contract";
import { SharedLoop, type Stream, type TopologyOptions, watchStreams } from "#nats";
import { measureOutcomeQueue } from "#platform-store";
import { type Log, type MetricFactory, startSampler, type Tracing } from "#runtime";
import type { Store } from "#store";
import { ConfigurationCache } from "./configuration-cache.ts";
import { createRecordHandler } from "./handle-records.ts";
import { createMatchingMetrics } from "./matching-metrics.ts";
import { OutcomePublisher } from "./publish-outcomes.ts";
import { startSweep } from "./sweep.ts";
import { takePayments } from "./take-payments.ts";

/** The part of the platform that brings payments and publisher records together. */
export interface Matching {
  /**
   * Takes in payments of one retailer. When it resolves they are stored and every pair that they make with a record
   * that is there is decided, with its outcomes. Repeating it is harmless, and needed after a failure: what was stored
   * then is paired now.
   * @param retailerId UUID
   * @param traceparent of the request, where it is traced
   */
  takePayments(
    retailerId: string,
    payments: readonly Payment[],
    traceparent?: string | undefined,
  ): Promise<void>;
  /** Finishes what is under way. Payments are not taken any more by then. */
  stop(): Promise<void>;
}

export interface MatchingParts {
  /** Of the platform's database, with `DATABASE_CONNECTIONS.platform.matching` connections for matching. */
  readonly store: Store;
  readonly stream: Stream;
  readonly topology: TopologyOptions;
  readonly metrics: MetricFactory;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

const QUEUE_SAMPLE_MS = 5_000;

/** Wires matching: records from the stream, payments from whoever calls, outcomes to the stream. */
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
    takePayments: (retailerId, payments, traceparent) =>
      takePayments({ store, configuration, metrics, onOutcomes }, retailerId, payments, traceparent),
    async stop() {
      unwatchStreams();
      stopSampling();
      await stopSweep();
      await loop.stop();
      await publisher.stop();
    },
  };
}
