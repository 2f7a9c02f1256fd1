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

/** What is generated, and the gate that holds the committed files to it. */
interface Generated {
  readonly gate: string;
  readonly files: (root: string) => readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>;
}

/** More than anybody begins with; `stampede nats-accounts` writes it for another number. */
const PARTITIONS = 16;

/** By the names that `generate.ts` takes. */
export const GENERATED = {
  client: { gate: "the client's types and tables are what the contract says", files: clientFiles },
  routes: {
    gate: "the API references have the routes of the tables",
    files: (root) =>
      API_REFERENCES.map(({ file, api }) => ({
        file,
        text: withTables(readFileSync(join(root, file), "utf8"), api),
      })),
  },
  settings: {
    gate: "the page of settings has those that are declared",
    files: () => [settingsPage()],
  },
  figures: {
    gate: "figures in documents are those of the newest records",
    files: documentsWithFigures,
  },
  dashboards: {
    gate: "the dashboards are what their descriptions and the runbooks make",
    files: dashboards,
  },
  accounts: {
    gate: "NATS users may do what the flow table says",
    files: () => [
      { file: "deploy/nats/accounts.conf", text: accountsConf({ prefix: "", partitions: PARTITIONS }) },
    ],
  },
  schemas: { gate: "the schema dumps are what the migrations make", files: currentSchemas },
} as const satisfies Readonly<Record<string, Generated>>;

function dashboards(root: string): GeneratedFile[] {
  const markdown = readFileSync(join(root, RUNBOOKS_FILE), "utf8");
  const pathOf = runbookPaths(readRunbooks(markdown).runbooks);
  return DASHBOARD_NAMES.map((name) =>
    name === "runbooks" ? runbooksDashboard(markdown) : renderDashboard(readDashboard(root, name), pathOf),
  );
}
