import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dashboard } from "@grafana/grafana-foundation-sdk/dashboard";
import { buildDashboard } from "./build-dashboard.ts";
import { EDGE } from "./edge.ts";
import { INGEST } from "./ingest.ts";
import { OVERVIEW } from "./overview.ts";
import type { DashboardName, DashboardSpec } from "./panel-spec.ts";
import { PLATFORM } from "./platform.ts";
import { REWARDS } from "./rewards.ts";
import { RUNBOOKS_FILE, readRunbooks, runbookPaths, runbooksDashboard } from "./runbooks.ts";
import { RUNTIME } from "./runtime.ts";
import { WEBHOOKS } from "./webhooks.ts";

const SPECS: readonly DashboardSpec[] = [OVERVIEW, EDGE, INGEST, PLATFORM, REWARDS, WEBHOOKS, RUNTIME];

/** The dashboards as they should be, by path from the root of the checkout. */
export function currentDashboards(root: string): Array<{ file: string; text: string }> {
  const markdown = readFileSync(join(root, RUNBOOKS_FILE), "utf8");
  const pathOf = runbookPaths(readRunbooks(markdown).runbooks);
  const made = SPECS.map((spec) => describe(spec.name, buildDashboard(spec, pathOf)));
  return [...made, describe("runbooks", runbooksDashboard(markdown))];
}

function describe(name: DashboardName, dashboard: Dashboard) {
  return { file: `deploy/grafana/dashboards/${name}.json`, text: toText(dashboard) };
}

/** A line for each setting and each panel, so that a difference shows which panel changed. */
function toText({ panels = [], ...settings }: Dashboard): string {
  const lines = Object.entries(settings).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const panelLines = panels.map((panel) => `    ${JSON.stringify(panel)}`).join(",\n");
  return `{\n${lines.join(",\n")},\n  "panels": [\n${panelLines}\n  ]\n}\n`;
}
