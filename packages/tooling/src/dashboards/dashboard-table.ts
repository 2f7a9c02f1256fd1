import { readFileSync } from "node:fs";
import { join } from "node:path";
import Type, { type Static } from "typebox";
import { Errors } from "typebox/value";
import { parse } from "yaml";

/** The tables, from the root of the checkout: `<name>.yaml`, and the row that several dashboards have. */
const FOLDER = "packages/tooling/src/dashboards";

export const DASHBOARD_NAMES = [
  "overview",
  "edge",
  "ingest",
  "platform",
  "rewards",
  "webhooks",
  "runtime",
  "runbooks",
] as const;
export type DashboardName = (typeof DASHBOARD_NAMES)[number];

const CLOSED = { additionalProperties: false };
const Words = Type.Record(Type.String(), Type.String());
const Panel = Type.Object(
  {
    title: Type.String(),
    /** stat: one number, with its history. Absent: lines over time. */
    kind: Type.Optional(Type.Enum(["stat", "table"])),
    /** The meaning of the panel and its normal values: all that a first-time reader needs. */
    description: Type.String(),
    /** By Grafana's own names. */
    unit: Type.Enum(["short", "reqps", "ops", "s", "bytes", "percentunit", "none", "bool_on_off"]),
    /**
     * PromQL by the name of its line: text, and labels as `{{route}}`. `$__rate_interval` is the window of
     * rates, `$instance` and `$service` are chosen above the panels; other words are defined in `words`.
     */
    queries: Type.Optional(Words),
    /** Instead of queries: a histogram's buckets, whose p50, p90 and p99 are shown. */
    percentiles: Type.Optional(Type.String()),
    /** In 24ths of the page; absent: the row is shared evenly. */
    width: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })),
    max: Type.Optional(Type.Number()),
    stacked: Type.Optional(Type.Boolean()),
    /** Shows single requests with their trace ids; for latency histograms that keep exemplars. */
    exemplars: Type.Optional(Type.Boolean()),
    /** From this value on the colour applies; below all of them it is green. */
    thresholds: Type.Optional(
      Type.Object({ yellow: Type.Optional(Type.Number()), red: Type.Optional(Type.Number()) }, CLOSED),
    ),
    /** Alerts that this panel explains: it links to their runbooks. */
    alerts: Type.Optional(Type.Array(Type.String())),
    /** Another dashboard with more detail. */
    leadsTo: Type.Optional(Type.Enum([...DASHBOARD_NAMES])),
  },
  CLOSED,
);
const Row = Type.Union([
  Type.Object({ title: Type.String(), panels: Type.Array(Panel) }, CLOSED),
  /** The panels of `<from>.yaml`, with their own words, and without the lines of a name. */
  Type.Object(
    { title: Type.String(), from: Type.String(), words: Words, without: Type.Optional(Type.String()) },
    CLOSED,
  ),
]);
const Dashboard = Type.Object(
  {
    title: Type.String(),
    description: Type.String(),
    /** Chooses processes: of one service, or of the service chosen next to it. Absent: no choice. */
    instancesOf: Type.Optional(Type.String()),
    /** The meaning of `$word` in the queries. */
    words: Type.Optional(Words),
    rows: Type.Array(Row),
  },
  CLOSED,
);
const SharedRow = Type.Object({ panels: Type.Array(Panel) }, CLOSED);

/** A panel with its complete queries: pairs of a line's name and PromQL. */
export type PanelSpec = Omit<Static<typeof Panel>, "queries" | "percentiles"> & {
  readonly queries: ReadonlyArray<readonly [legend: string, expr: string]>;
};
export interface RowSpec {
  readonly title: string;
  readonly panels: readonly PanelSpec[];
}
export type DashboardSpec = Omit<Static<typeof Dashboard>, "rows" | "words"> & {
  readonly name: DashboardName;
  readonly rows: readonly RowSpec[];
};

/** @throws Error that names a fault of the table */
export function readDashboard(root: string, name: DashboardName): DashboardSpec {
  const { rows, words = {}, ...rest } = readTable(root, name, Dashboard);
  return { name, ...rest, rows: rows.map((row) => readRow(root, row, words)) };
}

type Words = Static<typeof Words>;

function readRow(root: string, row: Static<typeof Row>, words: Words): RowSpec {
  if ("panels" in row) return { title: row.title, panels: row.panels.map((panel) => inFull(panel, words)) };
  const panels = readTable(root, row.from, SharedRow).panels.map((panel) => inFull(panel, row.words));
  const isShown = ([legend]: PanelSpec["queries"][number]) => legend !== row.without;
  return {
    title: row.title,
    panels: panels.map((panel) => ({ ...panel, queries: panel.queries.filter(isShown) })),
  };
}

function inFull({ queries = {}, percentiles, ...panel }: Static<typeof Panel>, words: Words): PanelSpec {
  const given = Object.entries(queries);
  const ranks = percentiles === undefined ? [] : [0.5, 0.9, 0.99];
  const made = ranks.map((q) => {
    const rate = `rate(${percentiles}[$__rate_interval])`;
    return [`p${q * 100}`, `histogram_quantile(${q}, sum by (le) (${rate}))`] as const;
  });
  const fill = (expr: string) => expr.replaceAll(/\$(\w+)/g, (text, word: string) => words[word] ?? text);
  return { ...panel, queries: [...given, ...made].map(([legend, expr]) => [legend, fill(expr)] as const) };
}

function readTable<Schema extends Type.TSchema>(root: string, name: string, schema: Schema): Static<Schema> {
  const file = `${FOLDER}/${name}.yaml`;
  const table: unknown = parse(readFileSync(join(root, file), "utf8"));
  const [first] = Errors(schema, table);
  if (first !== undefined) throw new Error(`${file}${first.instancePath}: ${first.message}`);
  return table as Static<Schema>;
}
