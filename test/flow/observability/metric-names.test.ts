import t from "tap";
import { type CataloguedMetric, metricCatalogue, seriesNames } from "#test-support";
import {
  alertQueries,
  type DeployedQuery,
  monitoringQueries,
  operatorTexts,
  panelQueries,
  readDashboards,
  recordingQueries,
  runbookBlocks,
  runbookInlineQueries,
} from "./deployed.ts";
import { fillVariables, readQuery, type Selector } from "./promql.ts";

/**
 * Compares the metrics that dashboards, rules and runbooks ask for with the catalogue of metrics; another
 * test compares the catalogue with the running services. Needs no server.
 */
const catalogue = new Map(
  metricCatalogue().flatMap((metric) => seriesNames(metric).map((name) => [name, metric])),
);
const recorded = new Map(recordingQueries().map(({ place, expr }) => [place.replace("rule ", ""), expr]));
/** Series of Prometheus itself. */
const OF_PROMETHEUS: Readonly<Record<string, readonly string[]>> = {
  up: ["service"],
  ALERTS: ["alertname", "alertstate", "severity", "service", "stream"],
};
/** The labels of every series: from the target, from the registry. */
const ON_ALL = ["job", "instance", "service"];
const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks", "console"];

/** The metrics, labels and values of a query that do not exist, one line each. */
function problemsOf({ place, expr }: DeployedQuery): string[] {
  const { selectors, groupings } = readQuery(fillVariables(expr));
  const problems = selectors.flatMap(problemsOfSelector);
  const labels = new Set([...ON_ALL, "le", ...selectors.flatMap(({ metric }) => labelsOf(metric) ?? [])]);
  const alien = groupings.filter((label) => !labels.has(label)).map((label) => `no label ${label}`);
  return [...problems, ...alien].map((problem) => `${place}: ${problem}`);
}

function problemsOfSelector({ metric, matchers }: Selector): string[] {
  const labels = labelsOf(metric);
  if (labels === undefined) return [`no metric ${metric}`];
  return matchers.flatMap(({ label, op, value }) => {
    if (![...ON_ALL, ...labels].includes(label)) return [`${metric} has no label ${label}`];
    const values = label === "service" ? SERVICES : catalogue.get(metric)?.labels[label];
    if (values === undefined || label === "instance") return [];
    const wanted = op.endsWith("~") ? alternatives(value) : [value];
    return wanted
      .filter((one) => !values.some((known) => new RegExp(`^(?:${one})$`).test(exampleOf(known))))
      .map((one) => `${metric} has no ${label} ${one}`);
  });
}

/** Labels of a series, without those of every series; undefined if no series has this name. */
function labelsOf(metric: string): readonly string[] | undefined {
  const known: CataloguedMetric | undefined = catalogue.get(metric);
  if (known !== undefined) return [...Object.keys(known.labels), "le"];
  const expr = recorded.get(metric);
  if (expr !== undefined) return readQuery(expr).groupings;
  return OF_PROMETHEUS[metric];
}

/** Each part of `a|b` has to exist: a query would never show a misspelt one. */
function alternatives(pattern: string): string[] {
  return pattern.split("|");
}

/** `INGEST_n` stands for the streams of all partitions. */
function exampleOf(value: string): string {
  return value.replace(/_n$/, "_0");
}

const everywhere = [
  ...panelQueries(),
  ...recordingQueries(),
  ...alertQueries(),
  ...[...runbookBlocks("promql"), ...runbookInlineQueries()].map((expr) => ({ place: "runbooks", expr })),
  ...monitoringQueries().map((expr) => ({ place: "monitoring.md", expr })),
];

t.test("metric names - panels, rules and runbooks name only metrics of the code", async (t) => {
  t.ok(everywhere.length > 200);
  t.strictSame(everywhere.flatMap(problemsOf), []);
});

t.test("metric names - variables of dashboards name only metrics of the code", async (t) => {
  for (const { name, templating } of readDashboards()) {
    for (const { query } of templating.list ?? []) {
      const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
      if (selector === undefined) continue;
      t.strictSame(problemsOf({ place: name, expr: selector }), []);
      t.ok(ON_ALL.includes(`${label}`), `${label}`);
    }
  }
});

t.test("metric names - an unknown metric is found", async (t) => {
  const find = (expr: string) => problemsOf({ place: "x", expr });
  t.strictSame(find("rate(stampede_http_requests_totals[5m])"), [
    "x: no metric stampede_http_requests_totals",
  ]);
  t.strictSame(
    find("stampede_ingest_batch_events"),
    ["x: no metric stampede_ingest_batch_events"],
    "a bare histogram",
  );
  t.strictSame(find('stampede_http_requests_total{status="500"}'), [
    "x: stampede_http_requests_total has no label status",
  ]);
  t.strictSame(find('stampede_ingest_events_total{result=~"created|gone"}'), [
    "x: stampede_ingest_events_total has no result gone",
  ]);
  t.strictSame(find('up{service="edges"}'), ["x: up has no service edges"]);
  t.strictSame(find("sum by (rout) (rate(stampede_http_requests_total[5m]))"), ["x: no label rout"]);
  t.strictSame(find("service:stampede_nothing:rate5m"), ["x: no metric service:stampede_nothing:rate5m"]);
  t.throws(() => find("sum by (route (x)"));
});

t.test("metric names - each metric of a service answers an operator's question", async (t) => {
  const asked = new Set<string>(operatorTexts().match(/\bstampede_\w+/g));
  const unasked = metricCatalogue()
    .filter(
      ({ name, services }) => name.startsWith("stampede_") && services.some((one) => SERVICES.includes(one)),
    )
    .filter((metric) => ![metric.name, ...seriesNames(metric)].some((name) => asked.has(name)))
    .map(({ name }) => name);
  t.strictSame(unasked, [], "an alert, a page, `stampede status` or the live page names it");
});
