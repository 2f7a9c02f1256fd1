import { ERRORS } from "#contract";
import { DURATION_BUCKETS_SECONDS, type MetricFactory } from "#runtime";
import type { RequestRecord } from "./api.ts";
import { REFERENCE_LABELS } from "./reference/reference-pages.ts";
import type { HttpServerStats } from "./server.ts";

/** What every service with an API tells Prometheus of its requests; the label `service` tells the services apart. */
export interface RequestMetrics {
  request(record: Pick<RequestRecord<never>, "route" | "code" | "durationMs">): void;
}

/**
 * @param routes of the API, such as `member/get`
 * @param stats of its server, looked at when the metrics are scraped
 */
export function createRequestMetrics(
  metrics: MetricFactory,
  routes: readonly string[],
  stats: () => HttpServerStats,
): RequestMetrics {
  const requests = metrics.counter(
    "stampede_http_requests_total",
    "Answered requests by route and error code.",
    ["route", "code"],
  );
  for (const route of [...routes, ...REFERENCE_LABELS, "unknown"]) {
    requests.inc({ route, code: "ok" }, 0);
    for (const code of Object.keys(ERRORS)) requests.inc({ route, code }, 0);
  }
  const durations = metrics.histogram(
    "stampede_http_request_duration_seconds",
    "From the end of the request's header block to its answer.",
    DURATION_BUCKETS_SECONDS,
    ["route"],
  );
  metrics.gaugeOf(
    "stampede_http_requests_in_flight",
    "Requests that wait for their answer.",
    () => stats().inFlight,
  );
  metrics.gaugeOf(
    "stampede_http_buffered_bytes",
    "Request bodies that have not arrived whole.",
    () => stats().bufferedBytes,
  );
  return {
    request: ({ route, code, durationMs }) => {
      requests.inc({ route, code });
      durations.observe({ route }, durationMs / 1000);
    },
  };
}
