import { ERRORS, ROUTES } from "#contract";
import { REFERENCE_LABELS, type RequestRecord } from "#http";
import { DURATION_BUCKETS_SECONDS, type MetricFactory } from "#runtime";
import type { PublishResult } from "#stream";

/** What the edge tells Prometheus. */
export interface EdgeMetrics {
  request(record: RequestRecord): void;
  published(result: PublishResult, seconds: number): void;
  backpressure(reason: string): void;
}

export function createEdgeMetrics(metrics: MetricFactory): EdgeMetrics {
  const requests = metrics.counter(
    "stampede_http_requests_total",
    "Answered requests by route and error code.",
    ["route", "code"],
  );
  for (const route of [...Object.keys(ROUTES), ...REFERENCE_LABELS, "unknown"]) {
    requests.inc({ route, code: "ok" }, 0);
    for (const code of Object.keys(ERRORS)) requests.inc({ route, code }, 0);
  }
  const durations = metrics.histogram(
    "stampede_http_request_duration_seconds",
    "From the end of the request's header block to its answer.",
    DURATION_BUCKETS_SECONDS,
    ["route"],
  );
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
    request: (record) => {
      requests.inc({ route: record.route, code: record.code });
      durations.observe({ route: record.route }, record.durationMs / 1000);
    },
    published: (result, seconds) => {
      publishes.inc({ outcome: result.kind });
      publishing.observe(seconds);
    },
    backpressure: (reason) => refusals.inc({ reason }),
  };
}
