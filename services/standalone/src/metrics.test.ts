import t from "tap";
import { createRegistry, Health, MetricFactory, OpsEndpoints, readMetricsJson } from "#runtime";
import { catalogueDifferences, describeScraped, metricCatalogue, readCatalogueText } from "#test-support";
import { CHILD_NAMES, Children, standaloneMetrics } from "./children.ts";

t.test("metrics - the catalogue has those of the all-in-one start, as they are, and no other", async (t) => {
  const registry = createRegistry("standalone", "0");
  const children = new Children(() => {}, standaloneMetrics(new MetricFactory(registry)));
  for (const name of CHILD_NAMES) {
    const start = () => Promise.reject(new Error("not to be started here"));
    children.add(name, { logFile: "log", start, isOwnFault: () => false });
  }
  children.updateMetrics();
  const { body } = await new OpsEndpoints(new Health(), registry).answer("/metrics.json");
  const own = readMetricsJson(body).filter(({ name }) => name.startsWith("stampede_child_"));
  const metrics = describeScraped(new Map([["standalone", own]]));
  t.equal(catalogueDifferences(readCatalogueText(), metrics).join("\n"), "", "docs/operations/metrics.md");
  t.strictSame(
    metrics.map(({ name }) => name),
    metricCatalogue()
      .filter(({ services }) => services.join() === "standalone")
      .map(({ name }) => name),
  );
});
