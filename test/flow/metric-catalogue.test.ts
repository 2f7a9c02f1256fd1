/*
 * docs/operations/metrics.md against what the services really serve. Its tables are made here too:
 * `npm run generate:metrics` runs this file with METRICS_WRITE=1, which rewrites them and keeps the last column and
 * the prose.
 */
import t from "tap";
import { type MetricFamily, readMetricsJson } from "#runtime";
import {
  type CataloguedMetric,
  catalogueDifferences,
  describeScraped,
  metricCatalogue,
  readCatalogueText,
  startPipeline,
  withMetrics,
  writeCatalogueText,
} from "#test-support";

/** Metrics of the all-in-one start, whose own test compares them. */
const isStandalone = ({ services }: CataloguedMetric) => services.join() === "standalone";

t.test(
  "metrics - the catalogue describes every metric of every service correctly, and lists no other",
  async (t) => {
    const scraped = await scrapeAll(t);
    for (const [service, families] of scraped) {
      const silent = families.filter(
        ({ name, samples }) => name.startsWith("stampede_") && samples.length === 0,
      );
      t.strictSame(
        silent.map(({ name }) => name),
        [],
        `${service}: every metric has its samples before anything has happened`,
      );
    }
    const metrics = describeScraped(scraped);
    if (process.env.METRICS_WRITE === "1") writeCatalogueText(withMetrics(readCatalogueText(), metrics));
    const text = readCatalogueText();
    const names = new Set(metrics.map(({ name }) => name));
    const gone = metricCatalogue(text).filter((row) => !names.has(row.name) && !isStandalone(row));
    const differences = [
      ...catalogueDifferences(text, metrics),
      ...gone.map(({ name }) => `${name}: no service has it any more`),
    ];
    t.strictSame(differences, [], "run `npm run generate:metrics` and commit");
    t.equal(withMetrics(text, metrics), text, "the tables are in their order");
  },
);

t.test("metrics - the comparison names each difference", async (t) => {
  const metric: CataloguedMetric = {
    name: "stampede_a_total",
    type: "counter",
    labels: { result: ["no", "yes"], version: undefined },
    services: ["edge", "ingest"],
    help: "What a is.",
  };
  const blank = "# Prose\n<!-- metrics: stampede_a stampede_b -->\n<!-- metrics end -->\nmore\n";
  const written = withMetrics(blank, [metric]);
  t.match(catalogueDifferences(written, [metric]), ["stampede_a_total: say what to do with it"]);
  const said = written.replace("|  |\n", "| Nothing. |\n");
  t.strictSame(metricCatalogue(said), [{ ...metric, use: "Nothing." }]);
  t.strictSame(catalogueDifferences(said, [metric]), []);
  t.equal(withMetrics(said, [metric]), said, "the last column and the prose are kept");
  for (const change of [
    { type: "gauge" },
    { labels: { result: ["no"], version: undefined } },
    { labels: { result: ["no", "yes"] } },
    { services: ["edge"] },
    { help: "What it was." },
  ] as Partial<CataloguedMetric>[]) {
    t.match(catalogueDifferences(said, [{ ...metric, ...change }]), [/^stampede_a_total: documented/]);
  }
  t.match(catalogueDifferences(said, [{ ...metric, name: "stampede_b" }]), [
    /stampede_b: the catalogue does not/,
  ]);
  t.throws(() => withMetrics(blank, [{ ...metric, name: "other_b" }]), /has no table for other_b/);
});

async function scrapeAll(t: { teardown(end: () => unknown): void }): Promise<Map<string, MetricFamily[]>> {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const [platform, rewards, webhooks, console] = await Promise.all([
    pipeline.start("platform"),
    pipeline.start("rewards"),
    pipeline.start("webhooks"),
    pipeline.start("console"),
  ]);
  const processes = { edge: pipeline.edge, ingest: pipeline.ingest, platform, rewards, webhooks, console };
  const scraped = new Map<string, MetricFamily[]>();
  for (const [service, process] of Object.entries(processes)) {
    scraped.set(service, readMetricsJson((await process.ops("/metrics.json")).body));
  }
  return scraped;
}
