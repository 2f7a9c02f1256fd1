import t from "tap";
import { createRegistry, DURATION_BUCKETS_SECONDS, MetricFactory, SIZE_BUCKETS } from "./metrics.ts";

t.test("metrics - two services in one process keep their metrics apart", async (t) => {
  const edge = createRegistry("edge", "1");
  const ingest = createRegistry("ingest", "1");
  new MetricFactory(edge).counter("stampede_test_total", "A test.").inc();
  new MetricFactory(ingest).counter("stampede_test_total", "A test.").inc(5);
  t.match(await edge.metrics(), 'stampede_test_total{service="edge"} 1');
  t.match(await ingest.metrics(), 'stampede_test_total{service="ingest"} 5');
});

t.test("metrics - a name is given once", async (t) => {
  const metrics = new MetricFactory(createRegistry("edge", "1"));
  metrics.gauge("stampede_test", "A test.");
  t.throws(() => metrics.counter("stampede_test", "Another."));
});

t.test("metrics - a gauge with a reader shows the value at the scrape", async (t) => {
  const registry = createRegistry("edge", "1");
  let depth = 1;
  new MetricFactory(registry).gaugeOf("stampede_test_depth", "A test.", () => depth);
  t.match(await registry.metrics(), 'stampede_test_depth{service="edge"} 1');
  depth = 2;
  t.match(await registry.metrics(), 'stampede_test_depth{service="edge"} 2');
});

t.test("metrics - one that is read by label shows each of them", async (t) => {
  const registry = createRegistry("edge", "1");
  const held = { a: 1, b: 0 };
  new MetricFactory(registry).gaugesOf("stampede_test_held", "A test.", "hop", () => held);
  t.match(await registry.metrics(), 'stampede_test_held{hop="a",service="edge"} 1');
  held.b = 2;
  t.match(await registry.metrics(), 'stampede_test_held{hop="b",service="edge"} 2');
});

t.test("metrics - buckets rise", async (t) => {
  for (const buckets of [DURATION_BUCKETS_SECONDS, SIZE_BUCKETS]) {
    t.strictSame(
      buckets,
      [...new Set(buckets)].sort((a, b) => a - b),
    );
  }
});
