import t from "tap";
import { createRegistry, Health, MetricFactory, OpsEndpoints } from "#runtime";
import { createDispatchMetrics } from "./metrics.ts";

t.test("metrics - a slow answer leads to its delivery, and no label is made up", async (t) => {
  const registry = createRegistry("webhooks", "0");
  const metrics = createDispatchMetrics(new MetricFactory(registry));
  const deliveryId = "019a5f00-1111-7222-8333-444455556666";
  const made = { deliveryId, webhookId: "019a5f00-0000-7000-8000-000000000000", at: new Date() };
  const failed = { durationMs: 3_000, status: 500, errorClass: "http_5xx", answer: "no" } as const;
  metrics.attempted(
    { ...made, ...failed, cut: undefined, wasUp: true, revision: 0, failing: null, next: { kind: "parked" } },
    2,
  );
  const accept = "application/openmetrics-text; version=1.0.0";
  const { body } = await new OpsEndpoints(new Health(), registry).answer("/metrics", accept);
  const bucket = 'stampede_webhooks_answer_duration_seconds_bucket{le="5.0",service="webhooks"} 1';
  t.match(body, `${bucket} # {trace_id="019a5f00111172228333444455556666"} 3 `);
  t.match(body, 'stampede_webhooks_attempts_total{result="http_5xx",service="webhooks"} 1');
  t.match(body, 'stampede_webhooks_deliveries_total{next="parked",service="webhooks"} 1');
  t.match(body, 'stampede_webhooks_events_delivered_total{service="webhooks"} 0');
});
