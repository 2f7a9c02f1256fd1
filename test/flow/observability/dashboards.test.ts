import t from "tap";
import { type Panel, panelQueries, readAlerts, readDashboards, recordingQueries } from "./deployed.ts";
import { fillVariables, readQuery } from "./promql.ts";

const dashboards = readDashboards();
const WITHOUT_QUERY = new Set(["row", "text"]);

t.test("dashboards - the expected ones exist, each under its own address", async (t) => {
  t.strictSame(
    dashboards.map(({ name, uid }) => [name, uid]),
    ["edge", "ingest", "overview", "platform", "rewards", "runbooks", "runtime", "webhooks"].map((name) => [
      name,
      `stampede-${name}`,
    ]),
  );
});

t.test("dashboards - panels lie within the page, and none on another", async (t) => {
  for (const { name, panels } of dashboards) {
    t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, `${name}: each has its own id`);
    for (const [i, one] of panels.entries()) {
      const { x, w } = one.gridPos;
      t.ok(w > 0 && x >= 0 && x + w <= 24, `${name}: ${one.title} is on the page`);
      const below = panels.slice(i + 1).filter((other) => overlap(one, other));
      t.strictSame(
        below.map(({ title }) => title),
        [],
        `${name}: nothing lies on ${one.title}`,
      );
    }
  }
});

t.test("dashboards - every panel has a description, a unit and names for its lines", async (t) => {
  for (const { name, panels } of dashboards) {
    for (const panel of panels.filter(({ type }) => !WITHOUT_QUERY.has(type))) {
      const place = `${name}: ${panel.title}`;
      t.match(panel.description, /^\S.{5,}\.$/, `${place} has a description`);
      t.type(panel.fieldConfig?.defaults.unit, "string", `${place} has a unit`);
      t.ok(panel.targets?.length, `${place} asks for something`);
      if (panel.type !== "timeseries") continue;
      t.equal(panel.options?.legend?.showLegend, true, `${place} has a legend`);
      for (const { legendFormat } of panel.targets ?? []) t.not(legendFormat, "", `${place} names its lines`);
    }
  }
});

t.test("dashboards - a legend names only labels that the query leaves", async (t) => {
  for (const { name, panels } of dashboards) {
    for (const { title, targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        const { groupings } = readQuery(fillVariables(expr));
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          // Without a grouping the query leaves all labels; a recorded series has those of its name.
          const isLeft = groupings.length === 0 || groupings.includes(label as string);
          t.ok(isLeft, `${name}: ${title}: ${label}`);
        }
      }
    }
  }
});

t.test("dashboards - rates look at the window that fits the time shown", async (t) => {
  for (const { place, expr } of panelQueries()) {
    for (const [window] of expr.matchAll(/\[[^\]]+\]/g)) t.equal(window, "[$__rate_interval]", place);
  }
});

t.test("dashboards - every used variable exists", async (t) => {
  for (const { name, panels, templating } of dashboards) {
    const known = new Set(templating.list?.map((variable) => variable.name));
    for (const [, used] of JSON.stringify(panels).matchAll(/\$(instance|service|datasource)/g)) {
      t.ok(known.has(used as string), `${name}: ${used}`);
    }
  }
});

t.test("dashboards - links lead to existing dashboards and runbooks", async (t) => {
  const uids = new Set(dashboards.map(({ uid }) => uid));
  const runbooks = new Map(
    dashboards.find(({ name }) => name === "runbooks")?.panels.map(({ id, title }) => [String(id), title]),
  );
  for (const { name, panels, links = [] } of dashboards) {
    for (const { url } of links) t.ok(uids.has(url.replace("/d/", "")), `${name}: ${url}`);
    for (const { title, url } of panels.flatMap((panel) => panel.links ?? [])) {
      const [path = "", id] = url.split("?viewPanel=");
      t.ok(uids.has(path.replace("/d/", "")), `${name}: ${url}`);
      if (id !== undefined) t.equal(`runbook ${runbooks.get(id)}`, title);
    }
  }
});

t.test("dashboards - the runbook of each alert is a panel, and a link of one leads to it", async (t) => {
  const linked = new Set(
    dashboards.flatMap(({ panels }) =>
      panels.flatMap((panel) => panel.links?.map(({ title }) => title) ?? []),
    ),
  );
  const written = new Map(
    dashboards.find(({ name }) => name === "runbooks")?.panels.map((panel) => [panel.title, panel]),
  );
  for (const { alert } of readAlerts()) {
    t.match(written.get(alert)?.options?.content, /\*\*Users notice\*\*/, alert);
    t.ok(linked.has(`runbook ${alert}`), `a panel explains ${alert}`);
  }
});

t.test("dashboards - every recorded series is used by a panel, an alert or another rule", async (t) => {
  const asked = new Set(
    [...panelQueries(), ...readAlerts(), ...recordingQueries()].flatMap(({ expr }) =>
      readQuery(fillVariables(expr)).selectors.map(({ metric }) => metric),
    ),
  );
  for (const { place } of recordingQueries()) t.ok(asked.has(place.replace("rule ", "")), place);
});

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
