import { ERRORS } from "#contract";
import { DURATION_BUCKETS_SECONDS, type MetricFactory } from "#runtime";
import type { AuthenticationFault, RequestRecord } from "./api.ts";
import { REFERENCE_LABELS } from "./reference/reference-pages.ts";
import type { HttpServerStats, RefusedByServer } from "./server.ts";

type Told = Pick<RequestRecord<never>, "route" | "code" | "durationMs" | "traceId" | "authenticationFault">;

const AUTHENTICATION_FAULTS: readonly AuthenticationFault[] = [
  "missing",
  "malformed",
  "unknown",
  "revoked",
  "expired",
];

/**
 * The request metrics of every service with an API; the label `service` distinguishes the services. Returns
 * the function that counts one request.
 * @param routes of the API, such as `member/get`
 * @param stats of its server, read at each scrape
 */
export function countRequests(
  metrics: MetricFactory,
  routes: readonly string[],
  stats: () => HttpServerStats,
): (record: Told) => void {
  const labels = [...routes, ...REFERENCE_LABELS, "unknown"];
  const requests = createRequestCounter(metrics, labels, stats);
  const durations = metrics.tracedHistogram(
    "stampede_http_request_duration_seconds",
    "Time from the end of a request's header block to its answer.",
    DURATION_BUCKETS_SECONDS,
    ["route", "code"],
  );
  for (const route of labels) durations.zero({ route, code: "ok" });
  const failures = metrics.counter(
    "stampede_http_authentication_failures_total",
    "Requests refused for their token, by reason.",
    ["reason"],
  );
  for (const reason of AUTHENTICATION_FAULTS) failures.inc({ reason }, 0);
  metrics.gaugeOf(
    "stampede_http_buffered_bytes",
    "Bytes of request bodies that have not arrived completely.",
    () => stats().bufferedBytes,
  );
  metrics.counterOf(
    "stampede_http_requests_aborted_total",
    "Requests without an answer: the caller hung up, or was cut off for stalling.",
    () => stats().aborted,
  );
  return ({ route, code, durationMs, traceId, authenticationFault }) => {
    requests.inc({ route, code });
    durations.observe({ route, code }, durationMs / 1000, traceId);
    if (authenticationFault !== undefined) failures.inc({ reason: authenticationFault });
  };
}

/** Requests that the server itself refused count as route `unknown`. */
function createRequestCounter(
  metrics: MetricFactory,
  labels: readonly string[],
  stats: () => HttpServerStats,
) {
  const counted: Record<RefusedByServer, number> = { bad_request: 0, payload_too_large: 0, unavailable: 0 };
  const requests = metrics.counter(
    "stampede_http_requests_total",
    "Requests by route and error code, including those whose caller left before the answer.",
    ["route", "code"],
    () => {
      for (const [code, refused] of Object.entries(stats().refused) as [RefusedByServer, number][]) {
        requests.inc({ route: "unknown", code }, refused - counted[code]);
        counted[code] = refused;
      }
    },
  );
  for (const route of labels) {
    requests.inc({ route, code: "ok" }, 0);
    for (const code of Object.keys(ERRORS)) requests.inc({ route, code }, 0);
  }
  return requests;
}

/** The fields of a request's log line; the service adds those about the caller. */
export function describeRequest(record: Omit<RequestRecord<never>, "caller">) {
  return {
    traceId: record.traceId,
    route: record.route,
    status: record.status,
    code: record.code,
    ms: Math.round(record.durationMs * 100) / 100,
    bytes: record.bodyBytes,
    ...(record.authenticationFault !== undefined && { fault: record.authenticationFault }),
  };
}
