import t, { type Test } from "tap";
import { waitFor } from "#test-support";
import {
  alertQueries,
  type DeployedQuery,
  monitoringQueries,
  panelQueries,
  readDashboards,
  recordingQueries,
  runbookBlocks,
} from "./deployed.ts";
import { fillVariables } from "./promql.ts";
import { isInstalled } from "./promtool.ts";
import { type Prometheus, type Series, startPrometheus } from "./run-prometheus.ts";
import { serveOps } from "./serve-ops.ts";
import { openLoop, startTraffic } from "./traffic.ts";

/**
 * A real Prometheus scrapes the whole pipeline at work, and answers the queries of panels, rules and runbooks.
 * prometheus is Debian's package of that name; .ci/run installs it.
 */
t.setTimeout(400_000);
const needsPrometheus = isInstalled("prometheus") ? {} : { skip: "prometheus is not installed" };
/** Rates and samples of a pipeline that has just begun come only after a while, and later on a busy machine. */
const DEADLINE_MS = 150_000;

t.test("a running pipeline answers every query of panels, rules and runbooks", needsPrometheus, async (t) => {
  const loop = await openLoop(t);
  const proxy = await serveOps(loop.pipeline.processes);
  t.teardown(() => proxy.close());
  const prometheus = await startPrometheus(proxy.groups);
  t.teardown(() => prometheus.stop());
  const traffic = startTraffic(t, loop);
  t.teardown(() => traffic.stop());

  await t.test("every query of a panel has data", async (t) => {
    await allHaveData(t, prometheus, panelQueries());
  });

  await t.test("every recording rule has data", async (t) => {
    await allHaveData(t, prometheus, recordingQueries());
  });

  await t.test("every rule is evaluated without a fault, and every recorded series exists", async (t) => {
    interface Rule {
      readonly name: string;
      readonly health: string;
      readonly lastError?: string;
    }
    const { groups } = await prometheus.ask<{ groups: Array<{ rules: Rule[] }> }>("rules");
    for (const { name, health, lastError } of groups.flatMap(({ rules }) => rules)) {
      t.equal(health, "ok", `${name}: ${lastError}`);
    }
    await allHaveData(
      t,
      prometheus,
      recordingQueries().map(({ place }) => ({ place, expr: place.replace("rule ", "") })),
    );
  });

  await t.test("a pipeline at work is no reason for an alert", async (t) => {
    for (const { place, expr } of alertQueries()) {
      const { result: found } = await prometheus.ask<{ result: unknown[] }>("query", { query: expr });
      // The tests' servers sync nothing to disk, and these alerts are about that.
      if (/NotDurable/.test(place)) t.not(found.length, 0, place);
      else t.strictSame(found, [], place);
    }
  });

  await t.test("queries of the runbooks are answered without an error", async (t) => {
    for (const query of runbookBlocks("promql")) await t.resolves(prometheus.range(query), query);
  });

  await t.test("the three queries to look at first have an answer", async (t) => {
    t.equal(monitoringQueries().length, 3);
    for (const query of monitoringQueries()) {
      t.not((await prometheus.ask<{ result: unknown[] }>("query", { query })).result.length, 0, query);
    }
  });

  await t.test("panels of single requests have their trace ids", async (t) => {
    const traced = readDashboards().flatMap(({ panels }) =>
      panels.flatMap(({ targets = [] }) => targets.filter(({ exemplar }) => exemplar)),
    );
    t.ok(traced.length > 0);
    const span = { start: "0", end: String(Math.ceil(Date.now() / 1000)) };
    for (const { expr } of traced) {
      const query = fillVariables(expr);
      const found = await prometheus.ask<Array<{ exemplars: Array<{ labels: object }> }>>("query_exemplars", {
        query,
        ...span,
      });
      t.match(found[0]?.exemplars[0]?.labels, { trace_id: /^[0-9a-f]{32}$/ }, query);
    }
  });

  await t.test("each service is a target by its name, and its metrics have that name", async (t) => {
    const found = await prometheus.range(
      "up{job='stampede'} == 1 and on (service, instance) stampede_build_info",
    );
    t.strictSame(found.map(({ metric }) => metric.service).sort(), [
      "console",
      "edge",
      "ingest",
      "platform",
      "rewards",
      "webhooks",
    ]);
  });
});

/** Some series come only after a while: sampled ones, and rates in a pipeline that has just begun. */
async function allHaveData(t: Test, prometheus: Prometheus, queries: readonly DeployedQuery[]) {
  t.ok(queries.length > 0);
  let missing: ReadonlyArray<DeployedQuery & { problem?: string }> = queries;
  const look = async () => {
    const found: Array<DeployedQuery & { problem: string }> = [];
    for (const query of missing) {
      const problem = await problemOf(prometheus, query);
      if (problem !== undefined) found.push({ ...query, problem });
    }
    missing = found;
    return missing.length === 0;
  };
  // The assertion below names the missing ones.
  await waitFor(look, { deadlineMs: DEADLINE_MS, message: "queries without data" }).catch(() => {});
  t.strictSame(missing, [], "queries without data");
}

async function problemOf(prometheus: Prometheus, { expr }: DeployedQuery): Promise<string | undefined> {
  try {
    return hasData(await prometheus.range(fillVariables(expr))) ? undefined : "no data";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The quantile of an empty set is NaN. */
function hasData(found: readonly Series[]): boolean {
  return found.some(({ values }) => values.some(([, value]) => value !== "NaN"));
}
