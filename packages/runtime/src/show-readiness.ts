import type { Health } from "./health.ts";
import type { MetricFactory } from "./metrics.ts";

/**
 * What `/readyz` says, for Prometheus: a service that load balancers have left altogether gets no requests, so that none of them
 * fails, and its processes answer scrapes all the same.
 */
export function showReadiness(metrics: MetricFactory, health: Health): void {
  metrics.gaugeOf("stampede_ready", "1: the process is ready, as /readyz says; 0: it is not.", () =>
    health.readiness().ready ? 1 : 0,
  );
}
