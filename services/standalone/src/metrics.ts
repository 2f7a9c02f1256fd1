import type { MetricFactory } from "#runtime";

/** Metrics of the all-in-one start about its children. */
export function standaloneMetrics(metrics: MetricFactory) {
  return {
    childUp: metrics.gauge("stampede_child_up", "Whether an embedded server or a service runs.", ["child"]),
    childRestarts: metrics.counter(
      "stampede_child_restarts_total",
      "Restarts of a child that ended by itself.",
      ["child"],
    ),
  };
}

export type StandaloneMetrics = ReturnType<typeof standaloneMetrics>;
