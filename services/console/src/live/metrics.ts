import { DURATION_BUCKETS_SECONDS, type MetricFactory } from "#runtime";

/** Metrics of the console about its own sampling. */
export function liveMetrics(metrics: MetricFactory) {
  return {
    duration: metrics.histogram(
      "stampede_console_sample_duration_seconds",
      "Time to ask all processes and streams once, for the live page.",
      DURATION_BUCKETS_SECONDS,
    ),
    silent: metrics.gauge(
      "stampede_console_silent_addresses",
      "Operations endpoints that did not answer the console's last sample.",
    ),
    unreadStreams: metrics.gauge(
      "stampede_console_streams_unread",
      "1 if the console's last sample could not read the state of all streams, else 0.",
    ),
  };
}
