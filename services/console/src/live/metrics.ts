import type { MetricFactory } from "#runtime";

/** Metrics of the console about its own sampling. */
export function liveMetrics(metrics: MetricFactory) {
  return {
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
