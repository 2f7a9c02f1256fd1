import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DASHBOARD_NAMES, readDashboard } from "./dashboard-table.ts";
import { type DashboardFile, renderDashboard } from "./render-dashboard.ts";
import { RUNBOOKS_FILE, readRunbooks, runbookPaths, runbooksDashboard } from "./runbooks.ts";

/** The dashboards as they should be. */
export function currentDashboards(root: string): DashboardFile[] {
  const markdown = readFileSync(join(root, RUNBOOKS_FILE), "utf8");
  const pathOf = runbookPaths(readRunbooks(markdown).runbooks);
  return DASHBOARD_NAMES.map((name) =>
    name === "runbooks" ? runbooksDashboard(markdown) : renderDashboard(readDashboard(root, name), pathOf),
  );
}
