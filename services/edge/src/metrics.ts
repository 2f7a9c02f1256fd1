import { DURATION_BUCKETS_SECONDS, type MetricFactory } from "#runtime";
import type { PublishResult } from "#stream";

/** What the edge tells Prometheus. */
export interface EdgeMetrics {
  published(result: PublishResult, seconds: number): void;
  backpressure(reason: string): void;
}

export function createEdgeMetrics(metrics: MetricFactory): EdgeMetrics {
  const publishes = metrics.counter("stampede_edge_publishes_total", "Packed messages by outcome.", [
    "outcome",
  ]);
  for (const outcome of ["stored", "refused"]) publishes.inc({ outcome }, 0);
  const publishing = metrics.histogram(
    "stampede_edge_publish_duration_seconds",
    "From closing a packed message to the stream's word on it.",
    DURATION_BUCKETS_SECONDS,
  );
  const refusals = metrics.counter(
    "stampede_edge_backpressure_total",
    "Ingest requests refused before anything was published, by reason.",
    ["reason"],
  );
  for (const reason of ["stream_gone", "too_many_unanswered", "too_many_publishes"])
    refusals.inc({ reason }, 0);
  return {
    published: (result, seconds) => {
      publishes.inc({ outcome: result.kind });
      publishing.observe(seconds);
    },
    backpressure: (reason) => refusals.inc({ reason }),
  };
}
