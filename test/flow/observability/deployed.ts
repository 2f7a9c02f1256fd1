import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** The checkout. This leads there from dist/test/flow/observability. */
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
export const PROMETHEUS_DIRECTORY = join(ROOT, "deploy/prometheus");
const DASHBOARDS_DIRECTORY = join(ROOT, "deploy/grafana/dashboards");
const ROLES_FILE = join(ROOT, "deploy/postgres/roles.sql");

export interface Recording {
  readonly record: string;
  readonly expr: string;
}

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile<Rule> {
  readonly groups: ReadonlyArray<{ readonly rules: readonly Rule[] }>;
}

export function readYaml<T>(path: string): T {
  return parse(readFileSync(join(PROMETHEUS_DIRECTORY, path), "utf8")) as T;
}

/** The YAML files of a folder beside prometheus.yml, by their paths from there. */
export function yamlFiles(folder: string): string[] {
  const names = readdirSync(join(PROMETHEUS_DIRECTORY, folder)).filter((name) => name.endsWith(".yml"));
  return names.map((name) => `${folder}/${name}`);
}

export function readRecordings(): Recording[] {
  return yamlFiles("rules").flatMap(rulesOf<Recording>);
}

export function readAlerts(): Alert[] {
  return yamlFiles("alerts").flatMap(rulesOf<Alert>);
}

function rulesOf<Rule>(path: string): Rule[] {
  return readYaml<RuleFile<Rule>>(path).groups.flatMap(({ rules }) => rules);
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly links?: ReadonlyArray<{ readonly title: string; readonly url: string }>;
  readonly targets?: ReadonlyArray<{
    readonly expr: string;
    readonly legendFormat: string;
    readonly exemplar: boolean;
    readonly refId: string;
  }>;
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly options?: { readonly legend?: { readonly showLegend: boolean }; readonly content?: string };
}

export interface Dashboard {
  /** The name of its file. */
  readonly name: string;
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly links?: ReadonlyArray<{ readonly url: string }>;
  readonly templating: { readonly list?: ReadonlyArray<{ readonly name: string; readonly query: string }> };
}

export function readDashboards(): Dashboard[] {
  return readdirSync(DASHBOARDS_DIRECTORY).map((file) => ({
    ...(JSON.parse(readFileSync(join(DASHBOARDS_DIRECTORY, file), "utf8")) as Omit<Dashboard, "name">),
    name: file.replace(/\.json$/, ""),
  }));
}

/** A deployed query, and its place. */
export interface DeployedQuery {
  readonly place: string;
  readonly expr: string;
}

export function panelQueries(): DeployedQuery[] {
  return readDashboards().flatMap(({ name, panels }) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, refId }) => ({ place: `${name}: ${title} ${refId}`, expr })),
    ),
  );
}

export function recordingQueries(): DeployedQuery[] {
  return readRecordings().map(({ record, expr }) => ({ place: `rule ${record}`, expr }));
}

export function alertQueries(): DeployedQuery[] {
  return readAlerts().map(({ alert, expr }) => ({ place: `alert ${alert}`, expr }));
}

/**
 * All texts by which an operator works: alerts, runbooks and other pages, `stampede status`, the live page.
 * Without panels and the catalogue, which show every metric: a panel alone is no reason for a metric.
 */
export function operatorTexts(): string {
  const folders = ["deploy/prometheus/alerts", "deploy/prometheus/rules", "docs", "docs/operations"];
  const paths = [...folders, "packages/status/src", "services/console/src/live"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => /\.(md|yml|ts)$/.test(name) && !/\.test\.ts$|^metrics\./.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return [...paths, "SECURITY.md"].map((path) => readFileSync(join(ROOT, path), "utf8")).join("\n");
}

export const readRunbookText = (): string => readFileSync(join(ROOT, "docs/operations/runbooks.md"), "utf8");

/** The code blocks of the runbooks in a language. */
export function runbookBlocks(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...readRunbookText().matchAll(fence)].map(([, block]) => (block as string).trim());
}

/** The queries of docs/operations/monitoring.md: the second column of its table. */
export function monitoringQueries(): string[] {
  const text = readFileSync(join(ROOT, "docs/operations/monitoring.md"), "utf8");
  return [...text.matchAll(/^\| `stampede_\w+` \| `([^`]+)` \|/gm)].map(([, query]) =>
    (query as string).replaceAll("\\|", "|"),
  );
}

/** Queries within the sentences of the runbooks: code that calls a function. */
export function runbookInlineQueries(): string[] {
  const prose = readRunbookText().replace(/^```[\s\S]*?^```/gm, "");
  const code = [...prose.matchAll(/`([^`]+)`/g)].map(([, text]) => (text as string).replace(/\s+/g, " "));
  // PostgreSQL's roles are named alike.
  const roles = new Set<string>(readFileSync(ROLES_FILE, "utf8").match(/\bstampede_\w+/g));
  return code.filter((text) => /\bstampede_\w+/.test(text) && !text.includes("*") && !roles.has(text));
}
