import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accountsConf } from "#nats";
import { API_REFERENCES, withTables } from "./api-reference.ts";
import { clientFiles } from "./client-types/client-types.ts";
import { currentSchemas } from "./current-schema.ts";
import { DASHBOARD_NAMES, readDashboard } from "./dashboards/dashboard-table.ts";
import { renderDashboard } from "./dashboards/render-dashboard.ts";
import { RUNBOOKS_FILE, readRunbooks, runbookPaths, runbooksDashboard } from "./dashboards/runbooks.ts";
import { documentsWithFigures } from "./document-figures.ts";
import type { GeneratedFile } from "./root.ts";
import { settingsPage } from "./settings-page.ts";

/** Files as the generators would write them now. */
type Generate = (root: string) => readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>;

/** More than an installation begins with; `stampede nats-accounts` writes it for another number. */
const PARTITIONS = 16;

/** By the names that `generate.ts` takes. One gate compares the committed files with all of them. */
export const GENERATED: Readonly<Record<string, Generate>> = {
  /** The client's types and tables, of the contract. */
  client: clientFiles,
  /** The API references, of the tables of routes. */
  routes: (root) =>
    API_REFERENCES.map(({ file, api }) => ({
      file,
      text: withTables(readFileSync(join(root, file), "utf8"), api),
    })),
  settings: () => [settingsPage()],
  /** Figures in documents, of the newest records. */
  figures: documentsWithFigures,
  dashboards,
  /** The rights of NATS users, from the flow table. */
  accounts: () => [
    { file: "deploy/nats/accounts.conf", text: accountsConf({ prefix: "", partitions: PARTITIONS }) },
  ],
  /** Starts a server, and takes longest. */
  schemas: currentSchemas,
};

function dashboards(root: string): GeneratedFile[] {
  const markdown = readFileSync(join(root, RUNBOOKS_FILE), "utf8");
  const pathOf = runbookPaths(readRunbooks(markdown).runbooks);
  return DASHBOARD_NAMES.map((name) =>
    name === "runbooks" ? runbooksDashboard(markdown) : renderDashboard(readDashboard(root, name), pathOf),
  );
}
