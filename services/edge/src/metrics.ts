import type { PublishResult } from "#nats";
import { DURATION_BUCKETS_SECONDS, type MetricFactory, SIZE_BUCKETS } from "#runtime";

/** The last four concern a partition: its stream has just refused for this reason, or does not answer. */
const REFUSED_AT_ONCE = [
  "stream_gone",
  "too_many_unanswered",
  "organisation_share",
  "too_many_publishes",
  "stream_full",
  "stream_missing",
  "server_refused",
  "stream_silent",
];

export type EdgeMetrics = ReturnType<typeof createEdgeMetrics>;

/** The metrics of the edge. */
export function createEdgeMetrics(metrics: MetricFactory) {
  const publishes = metrics.counter("stampede_edge_publishes_total", "Packed messages by outcome.", [
    "outcome",
  ]);
  for (const outcome of ["stored", "refused", "unknown"]) publishes.inc({ outcome }, 0);
  const publishing = metrics.histogram(
    "stampede_edge_publish_duration_seconds",
    "Time from closing a packed message to the stream's answer.",
    DURATION_BUCKETS_SECONDS,
  );
  const events = metrics.histogram(
    "stampede_edge_message_events",
    "Events in one packed message.",
    SIZE_BUCKETS,
  );
  const refusals = metrics.counter(
    "stampede_edge_backpressure_total",
    "Ingest requests refused before anything was published, by reason.",
    ["reason"],
  );
  for (const reason of REFUSED_AT_ONCE) refusals.inc({ reason }, 0);
  const slowed = metrics.counter(
    "stampede_edge_authentication_slowed_total",
    "Requests refused (429) because too many wrong tokens came from their address.",
  );
  return {
    /** @param carried the events of the message */
    published: (result: PublishResult, seconds: number, carried: number) => {
      events.observe(carried);
      publishes.inc({ outcome: result.kind });
      publishing.observe(seconds);
    },
    backpressure: (reason: string) => refusals.inc({ reason }),
    /** Notes a request that was refused because too many wrong tokens came from its address. */
    addressSlowed: () => slowed.inc(),
  };
}

/** Shows how many requests and events wait in the gateway. */
export function watchGateway(metrics: MetricFactory, gateway: { readonly unansweredEvents: number }): void {
  metrics.gaugeOf(
    "stampede_edge_unanswered_events",
    "Events of requests that wait for their answer.",
    () => gateway.unansweredEvents,
  );
}
