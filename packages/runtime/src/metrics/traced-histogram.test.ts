import t from "tap";
import { readExposition } from "#test-support";
import { readFamilies, renderMetrics } from "./exposition.ts";
import { createRegistry, MetricFactory, type Registry } from "./metrics.ts";

const [FIRST, SECOND] = ["a".repeat(32), "b".repeat(32)];

async function linesOf(registry: Registry): Promise<string[]> {
  const text = renderMetrics(await readFamilies(registry), "openmetrics");
  t.strictSame(readExposition(text, "openmetrics").faults, []);
  return text.split("\n").filter((line) => line.startsWith("stampede_test_"));
}

t.test("traced histogram - a value at a bound is below it, one past the last is in +Inf", async (t) => {
  const registry = createRegistry("edge", "1");
  const histogram = new MetricFactory(registry).tracedHistogram("stampede_test_size", "A test.", [1, 2]);
  const service = 'service="edge"';
  t.strictSame(
    (await linesOf(registry)).at(-1),
    `stampede_test_size_count{${service}} 0`,
    "without labels it is known from the start",
  );
  for (const value of [0, 1, 1.5, 2, 3]) histogram.observe({}, value);
  t.strictSame(await linesOf(registry), [
    `stampede_test_size_bucket{le="1.0",${service}} 2`,
    `stampede_test_size_bucket{le="2.0",${service}} 4`,
    `stampede_test_size_bucket{le="+Inf",${service}} 5`,
    `stampede_test_size_sum{${service}} 7.5`,
    `stampede_test_size_count{${service}} 5`,
  ]);
});

t.test("traced histogram - label combinations are apart, in any order of labels", async (t) => {
  const registry = createRegistry("edge", "1");
  const histogram = new MetricFactory(registry).tracedHistogram(
    "stampede_test_size",
    "A test.",
    [1],
    ["a", "b"],
  );
  histogram.zero({ a: "x", b: "y" });
  histogram.observe({ a: "x", b: "z" }, 1);
  histogram.observe({ b: "z", a: "x" }, 1);
  histogram.observe({ a: "xz", b: "" }, 1);
  const counts = (await linesOf(registry)).filter((line) => line.includes("_count{"));
  t.strictSame(counts, [
    'stampede_test_size_count{a="x",b="y",service="edge"} 0',
    'stampede_test_size_count{a="x",b="z",service="edge"} 2',
    'stampede_test_size_count{a="xz",b="",service="edge"} 1',
  ]);
});

t.test("traced histogram - a bucket has the trace of its latest value that came with one", async (t) => {
  const registry = createRegistry("edge", "1");
  const histogram = new MetricFactory(registry).tracedHistogram("stampede_test_size", "A test.", [1, 2]);
  histogram.observe({}, 0.1, FIRST);
  const earlier = await readFamilies(registry);
  histogram.observe({}, 0.2, SECOND);
  histogram.observe({}, 0.3);
  histogram.observe({}, 9, FIRST);
  const [low, middle, high] = await linesOf(registry);
  t.match(low, `} 3 # {trace_id="${SECOND}"} 0.2 `);
  t.notMatch(middle, "trace_id");
  t.match(high, `} 4 # {trace_id="${FIRST}"} 9 `);
  const before = earlier.find(({ name }) => name === "stampede_test_size")?.samples[0];
  t.match(before?.exemplar, { labels: { trace_id: FIRST }, value: 0.1 }, "what was read does not change");
});

t.test("traced histogram - what is no number is refused, and a name is given once", async (t) => {
  const metrics = new MetricFactory(createRegistry("edge", "1"));
  const histogram = metrics.tracedHistogram("stampede_test_size", "A test.", [1]);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    t.throws(() => histogram.observe({}, value), RangeError);
  t.throws(() => metrics.tracedHistogram("stampede_test_size", "A test.", [1]));
});
