import { readFileSync, writeFileSync } from "node:fs";
import type { MetricFamily } from "#runtime";

const FILE = new URL("../../../docs/operations/metrics.md", import.meta.url);

/** A metric as docs/operations/metrics.md describes it. */
export interface CataloguedMetric {
  readonly name: string;
  readonly type: MetricFamily["type"];
  /** The values of each label, without `service` and a histogram's `le`; undefined: any. */
  readonly labels: Readonly<Record<string, readonly string[] | undefined>>;
  /** The services that have it, by the values of its label `service`. */
  readonly services: readonly string[];
  readonly help: string;
}

/** One row of the catalogue. */
interface Row extends CataloguedMetric {
  readonly use: string;
}

/** A family as one service has it. */
export type ScrapedMetrics = ReadonlyMap<string, readonly MetricFamily[]>;

/** Labels whose values cannot be listed, with the catalogue's text instead. */
const OPEN_LABELS: Readonly<Record<string, string>> = {
  route: "a route of the API, a page of its reference, or unknown",
  code: "ok, or an error code of the API reference",
  version: "any",
  node: "any",
  where:
    "a stream, publishing to one, the platform's outcome queue, a statement of webhooks, or PostgreSQL, which ended for a full disk",
  cause: "a class of refusals, as in the runbook of StampedeHopStands",
  said: "the last refusal, and what to do, in words",
  key: "the id of a key",
  check: "made with the key",
  operation: "what a statement does, from its text, such as update transactions",
};
/**
 * Our own metrics. The others are those of Node and of the process, whose label values depend on the machine.
 */
const IS_OURS = /^stampede_/;
/** Labels of prom-client's own metrics that may have no sample yet. */
const LABELS_AT_TIMES: Readonly<Record<string, string>> = {
  nodejs_active_requests: "type",
  nodejs_gc_duration_seconds: "kind",
};
/** The catalogue writes all of them together as `all`. */
const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks", "console"];
const PARTITION = /^(INGEST|PLATFORM_TX|OUTCOMES|SETTLEMENT)_\d+$/;

const HEAD = [
  "| metric | type | labels | services | meaning | what to do with it |",
  "|---|---|---|---|---|---|",
];
const TABLE = /(<!-- metrics: ([\w ]+) -->)[\s\S]*?(<!-- metrics end -->)/g;

export function readCatalogueText(): string {
  return readFileSync(FILE, "utf8");
}

export function writeCatalogueText(text: string): void {
  writeFileSync(FILE, text);
}

/** Every metric of the committed catalogue. */
export function metricCatalogue(text: string = readCatalogueText()): CataloguedMetric[] {
  return readRows(text);
}

/** The names under which a metric's samples are found: a histogram has three. */
export function seriesNames({ name, type }: Pick<CataloguedMetric, "name" | "type">): string[] {
  if (type === "histogram") return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
  return type === "summary" ? [name, `${name}_sum`, `${name}_count`] : [name];
}

/** The services' metrics by name, from their scrapes. */
export function describeScraped(scraped: ScrapedMetrics): CataloguedMetric[] {
  const found = new Map<string, CataloguedMetric>();
  for (const [service, families] of scraped) {
    for (const family of families) {
      const known = found.get(family.name);
      found.set(family.name, {
        name: family.name,
        type: family.type,
        labels: mergeLabels(known?.labels, labelsOf(family)),
        services: [...(known?.services ?? []), service],
        help: family.help,
      });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `text` with its tables rewritten from the metrics. The column on what to do is kept, and so is the prose around. */
export function withMetrics(text: string, metrics: readonly CataloguedMetric[]): string {
  const uses = new Map(readRows(text).map(({ name, use }) => [name, use]));
  const left = new Set(metrics);
  const written = text.replace(TABLE, (_, begin: string, prefixes: string, end: string) => {
    const own = [...left].filter(({ name }) => prefixes.split(" ").some((prefix) => name.startsWith(prefix)));
    for (const metric of own) left.delete(metric);
    const rows = own.map((metric) => writeRow({ ...metric, use: uses.get(metric.name) ?? "" }));
    return [begin, "", ...HEAD, ...rows, "", end].join("\n");
  });
  const homeless = [...left].map(({ name }) => name).join(", ");
  if (homeless !== "") throw new Error(`docs/operations/metrics.md has no table for ${homeless}`);
  return written;
}

/**
 * The differences between the committed catalogue and the metrics, one line each; and rows without an action.
 */
export function catalogueDifferences(text: string, metrics: readonly CataloguedMetric[]): string[] {
  const rows = new Map(readRows(text).map((row) => [row.name, row]));
  const differences: string[] = [];
  for (const metric of metrics) {
    const row = rows.get(metric.name);
    if (row === undefined) {
      differences.push(`${metric.name}: the catalogue does not have it`);
      continue;
    }
    const [documented, found] = [writeRow({ ...row, use: "" }), writeRow({ ...metric, use: "" })];
    if (documented !== found)
      differences.push(`${metric.name}: documented\n  ${documented}\n  found\n  ${found}`);
    if (row.use === "") differences.push(`${metric.name}: say what to do with it`);
  }
  return differences;
}

function labelsOf({ name, samples }: MetricFamily): Record<string, readonly string[] | undefined> {
  const values = new Map<string, Set<string>>();
  const atTimes = LABELS_AT_TIMES[name];
  if (atTimes !== undefined) values.set(atTimes, new Set());
  for (const { labels } of samples) {
    for (const [label, value] of Object.entries(labels)) {
      if (label === "service" || label === "le" || label === "quantile") continue;
      values.set(label, (values.get(label) ?? new Set()).add(String(value).replace(PARTITION, "$1_n")));
    }
  }
  const isOpen = (label: string) => !IS_OURS.test(name) || OPEN_LABELS[label] !== undefined;
  return Object.fromEntries(
    [...values].map(([label, found]) => [label, isOpen(label) ? undefined : [...found].sort()]),
  );
}

function mergeLabels(
  a: CataloguedMetric["labels"] = {},
  b: CataloguedMetric["labels"] = {},
): CataloguedMetric["labels"] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    names.map((name) => {
      const values = [...(a[name] ?? []), ...(b[name] ?? [])];
      return [name, values.length === 0 ? undefined : [...new Set(values)].sort()];
    }),
  );
}

function writeRow({ name, type, labels, services, help, use }: Row): string {
  const shown = Object.entries(labels).map(([label, values]) => {
    const listed = values?.map((value) => `\`${value}\``).join(", ");
    return `\`${label}\`: ${listed ?? OPEN_LABELS[label] ?? "any"}`;
  });
  const where = services.join() === SERVICES.join() ? "all" : services.join(", ");
  return `| ${[`\`${name}\``, type, shown.join("; "), where, help, use].join(" | ")} |`;
}

function readRows(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [name = "", type, labels = "", services = "", help = "", use = ""] = line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
      return {
        name: name.replaceAll("`", ""),
        type: type as CataloguedMetric["type"],
        labels: Object.fromEntries(labels === "" ? [] : labels.split("; ").map(readLabel)),
        services: services === "all" ? SERVICES : services.split(", "),
        help,
        use,
      };
    });
}

function readLabel(cell: string): [string, readonly string[] | undefined] {
  const [label = "", ...values] = [...cell.matchAll(/`([^`]+)`/g)].map(([, value]) => value as string);
  return [label, values.length === 0 ? undefined : values];
}
