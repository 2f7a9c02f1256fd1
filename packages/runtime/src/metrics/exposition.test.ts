import t from "tap";
import { type ExposedFamily, hasPromtool, promtoolFindings, readExposition } from "#test-support";
import { readMetricsJson } from "../ops.ts";
import { joinFamilies, type MetricFamily, readFamilies, renderMetrics } from "./exposition.ts";
import { createRegistry, MetricFactory } from "./metrics.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

async function familiesOf(service: string): Promise<MetricFamily[]> {
  const registry = createRegistry(service, "1.2.3");
  const metrics = new MetricFactory(registry);
  const answers = metrics.counter("stampede_test_answers_total", 'Said "yes" \\ no.\nTwo lines.', ["text"]);
  answers.inc({ text: 'a "quoted" \\ value\nof two lines' }, 3);
  metrics.gauge("stampede_test_depth", "A test.").set(Number.NaN);
  metrics.gauge("stampede_test_room", "A test.").set(Number.POSITIVE_INFINITY);
  const buckets = [0.01, 1, 10];
  const traced = metrics.tracedHistogram("stampede_test_seconds", "A test.", buckets, ["route"]);
  traced.zero({ route: "unasked" });
  traced.observe({ route: "a" }, 0.5);
  traced.observe({ route: "a" }, 0.75, TRACE);
  traced.observe({ route: "a" }, 60, TRACE);
  return readFamilies(registry);
}

const sampled = (families: readonly ExposedFamily[], name: string) =>
  families.flatMap(({ samples }) => samples).find((sample) => sample.name === name)?.value;

for (const format of ["text", "openmetrics"] as const) {
  t.test(`exposition - the output of ${format} obeys the rules of its format`, async (t) => {
    const families = joinFamilies([await familiesOf("edge"), await familiesOf("ingest")]);
    const exposed = readExposition(renderMetrics(families, format), format);
    t.strictSame(exposed.faults, []);
    t.equal(exposed.families.length, families.length);
    t.equal(sampled(exposed.families, "stampede_test_answers_total"), 3);
    t.ok(Number.isNaN(sampled(exposed.families, "stampede_test_depth")));
    t.equal(sampled(exposed.families, "stampede_test_room"), Number.POSITIVE_INFINITY);
    const services = exposed.families.find(({ name }) => name === "stampede_test_depth")?.samples;
    t.strictSame(
      services?.map(({ labels }) => labels.get("service")),
      ["edge", "ingest"],
      "both processes, in one family",
    );
  });
}

t.test(
  "exposition - the trace id of the latest observation stands at its bucket, in OpenMetrics",
  async (t) => {
    const text = renderMetrics(await familiesOf("edge"), "openmetrics");
    const exemplar = `# \\{trace_id="${TRACE}"\\}`;
    t.match(
      text,
      new RegExp(`_bucket\\{le="1.0",route="a",service="edge"\\} 2 ${exemplar} 0.75 \\d+\\.?\\d*$`, "m"),
    );
    t.match(text, new RegExp(`_bucket\\{le="\\+Inf",route="a",service="edge"\\} 3 ${exemplar} 60 `));
    t.match(text, /_bucket\{le="10.0",route="a",service="edge"\} 2$/m, "none fell between");
    t.match(text, /^stampede_test_seconds_count\{route="unasked",service="edge"\} 0$/m);
    t.match(text, /^# TYPE stampede_test_answers counter$/m, "a counter's family has no suffix");
  },
);

t.test("exposition - asked in one format and then in the other, names and buckets stay", async (t) => {
  const families = await familiesOf("edge");
  const keys = (format: "text" | "openmetrics") =>
    readExposition(renderMetrics(families, format), format).families.flatMap(({ samples }) =>
      samples.map(({ name, labels }) => `${name} ${JSON.stringify([...labels])}`),
    );
  t.strictSame(keys("openmetrics"), keys("text"));
});

t.test("exposition - metrics survive their way as JSON", async (t) => {
  const { OpsEndpoints } = await import("../ops.ts");
  const { Health } = await import("../health.ts");
  const registry = createRegistry("edge", "1");
  const metrics = new MetricFactory(registry);
  metrics.gauge("stampede_test_depth", "A test.").set(Number.NaN);
  metrics.gauge("stampede_test_room", "A test.").set(Number.NEGATIVE_INFINITY);
  metrics.tracedHistogram("stampede_test_seconds", "A test.", [1]).observe({}, 0.5, TRACE);
  const { body } = await new OpsEndpoints(new Health(), registry).answer("/metrics.json");
  const ours = (families: readonly MetricFamily[]) => families.filter(({ name }) => name.includes("_test_"));
  const text = renderMetrics(ours(readMetricsJson(body)), "openmetrics");
  t.equal(text, renderMetrics(ours(await readFamilies(registry)), "openmetrics"));
  t.match(text, TRACE);
});

t.test(
  "exposition - promtool finds nothing wrong",
  { skip: !hasPromtool() && "no promtool here" },
  async (t) => {
    const families = joinFamilies([await familiesOf("edge"), await familiesOf("ingest")]);
    t.strictSame(promtoolFindings(renderMetrics(families, "text")), []);
  },
);

const HEAD = "# HELP a_total A.\n# TYPE a_total counter\n";
const BUCKETS = "# HELP h H.\n# TYPE h histogram\n";
const WHOLE = 'h_bucket{le="1.0"} 1\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count 2\n';
for (const [fault, text, format] of [
  [/begins twice/, `${HEAD}a_total 1\n${HEAD}`, "text"],
  [/outside its family/, `${HEAD}b_total 1\n`, "text"],
  [/outside its family/, `${HEAD}a_total 1\n# EOF\n`, "openmetrics"],
  [/TYPE does not follow HELP/, "# TYPE a_total counter\na_total 1\n", "text"],
  [/unknown type/, "# HELP a A.\n# TYPE a info\na 1\n", "text"],
  [/twice: /, `${HEAD}a_total{b="1",c="2"} 1\na_total{c="2",b="1"} 1\n`, "text"],
  [/given twice/, `${HEAD}a_total{b="1",b="2"} 1\n`, "text"],
  [/not a line/, `${HEAD}a_total{b="1"} one\n`, "text"],
  [/not a line/, `${HEAD}a_total{b.c="1"} 1\n`, "text"],
  [/not a line/, `${HEAD}a_total{b="a"b"} 1\n`, "text"],
  [/not a line/, `${HEAD}\na_total 1\n`, "text"],
  [/does not end/, `${HEAD}a_total 1`, "text"],
  [/not a line/, `${HEAD}a_total 1\n# EOF\n`, "text"],
  [/EOF/, "# HELP a A.\n# TYPE a counter\na_total 1\n", "openmetrics"],
  [/below 0/, `${HEAD}a_total -1\n`, "text"],
  [/shows no float/, `${BUCKETS}${WHOLE.replace("1.0", "1")}`, "text"],
  [/do not rise/, `${BUCKETS}h_bucket{le="2.0"} 0\n${WHOLE}`, "text"],
  [/counts fall/, `${BUCKETS}h_bucket{le="0.5"} 2\n${WHOLE}`, "text"],
  [/not end with/, `${BUCKETS}${WHOLE.replace("+Inf", "9.0")}`, "text"],
  [/not that of/, `${BUCKETS}${WHOLE.replace("count 2", "count 1")}`, "text"],
  [/no sum/, `${BUCKETS}${WHOLE.replace("h_sum 3\n", "")}`, "text"],
  [/has no exemplars/, `${BUCKETS}${WHOLE.replace("} 1\n", '} 1 # {trace_id="a"} 1 1\n')}`, "text"],
  [/beyond/, `${BUCKETS}${WHOLE.replace("} 1\n", '} 1 # {trace_id="a"} 2 1\n')}# EOF\n`, "openmetrics"],
  [/no place/, `${BUCKETS}${WHOLE.replace("m 3\n", 'm 3 # {trace_id="a"} 1 1\n')}# EOF\n`, "openmetrics"],
  [
    /characters/,
    `${BUCKETS}${WHOLE.replace("} 1\n", `} 1 # {t="${"a".repeat(128)}"} 1 1\n`)}# EOF\n`,
    "openmetrics",
  ],
] as const) {
  t.test(`exposition rules - ${fault.source} is found in ${format}: ${JSON.stringify(text)}`, async (t) => {
    t.match(readExposition(text, format).faults.join("\n"), fault);
  });
}
