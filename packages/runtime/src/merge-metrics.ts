import { AggregatorRegistry } from "prom-client";

/**
 * One Prometheus text from the `/metrics.json` answers of several processes. Their label `service` keeps them apart, so
 * nothing is really summed; metrics that make no sense together (process start times) are left out.
 */
export async function mergeMetrics(bodies: readonly string[]): Promise<string> {
  const merged = AggregatorRegistry.aggregate(bodies.map((body) => JSON.parse(body) as object[]));
  return merged.metrics();
}
