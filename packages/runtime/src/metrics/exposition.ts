import type { Registry } from "prom-client";

/** A value of one label combination. `name` if it is not the family's (`_bucket`, `_sum`, `_count`). */
export interface Sample {
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly exemplar: Exemplar | undefined;
}

/** The trace of one observation. `timestamp` is in seconds since 1970. */
interface Exemplar {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timestamp: number;
}

/** All samples of one name, with its type: the unit of both formats. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  readonly samples: readonly Sample[];
}

/** `text`: Prometheus' own format 0.0.4. `openmetrics`: OpenMetrics 1.0.0, which has exemplars. */
export type MetricsFormat = "text" | "openmetrics";

export const METRICS_CONTENT_TYPE: Readonly<Record<MetricsFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** A metric in prom-client's form; its types do not mention the exemplar. */
interface RegistryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: ReadonlyArray<{
    readonly metricName?: string;
    readonly labels: Sample["labels"];
    readonly value: number;
    readonly exemplar?: { labelSet: Exemplar["labels"]; value: number; timestamp: number } | null;
  }>;
}

/**
 * The present content of a registry.
 * @param names of the wanted families; empty: all. The others are not read, which matters for those that
 * start over after each read, such as Node's event loop delay.
 */
export async function readFamilies(
  registry: Registry,
  names: readonly string[] = [],
): Promise<MetricFamily[]> {
  const read = names.length === 0 ? registry : partOf(registry, new Set(names));
  const metrics = (await read.getMetricsAsJSON()) as unknown as RegistryMetric[];
  return metrics.map(({ name, help, type, values }) => ({
    name,
    help,
    type: type as MetricFamily["type"],
    samples: values.map(({ metricName, labels, value, exemplar }) => ({
      name: metricName,
      labels,
      value,
      exemplar: exemplar
        ? { labels: exemplar.labelSet, value: exemplar.value, timestamp: exemplar.timestamp }
        : undefined,
    })),
  }));
}

/** The same registry, with the same default labels, reduced to these metrics. */
function partOf(registry: Registry, names: ReadonlySet<string>): Registry {
  const part = Object.create(registry) as Registry;
  part.getMetricsAsArray = () => registry.getMetricsAsArray().filter(({ name }) => names.has(name));
  return part;
}

/**
 * Joins the families of several processes, each name once: their label `service` distinguishes the samples.
 */
export function joinFamilies(processes: ReadonlyArray<readonly MetricFamily[]>): MetricFamily[] {
  const joined = new Map<string, MetricFamily>();
  for (const family of processes.flat()) {
    const known = joined.get(family.name);
    const samples = known === undefined ? family.samples : [...known.samples, ...family.samples];
    joined.set(family.name, { ...(known ?? family), samples });
  }
  return [...joined.values()];
}

/**
 * Writes metrics as text. Our own code and not prom-client's, which serves a registry in one format for good
 * (asked for OpenMetrics, it renames the counters in place), cannot join processes without losing exemplars,
 * and spells NaN wrongly.
 *
 * Both formats write the bounds of buckets in the same way, as OpenMetrics wants them (`1.0`): so a server
 * that is scraped in one format and then in the other keeps the same series.
 */
export function renderMetrics(families: readonly MetricFamily[], format: MetricsFormat): string {
  const lines: string[] = [];
  for (const family of families) renderFamily(family, format, lines);
  if (format === "openmetrics") lines.push("# EOF");
  return `${lines.join("\n")}\n`;
}

function renderFamily({ name, help, type, samples }: MetricFamily, format: MetricsFormat, lines: string[]) {
  // OpenMetrics names a counter's family without the suffix that its samples have.
  const family = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
  lines.push(`# HELP ${family} ${escapeHelp(help, format)}`, `# TYPE ${family} ${type}`);
  for (const sample of samples) {
    const of = sample.name ?? (family === name ? name : `${family}_total`);
    let line = `${of}${renderLabels(sample.labels)} ${renderValue(sample.value)}`;
    const { exemplar } = sample;
    if (exemplar !== undefined && format === "openmetrics") {
      line += ` # ${renderLabels(exemplar.labels) || "{}"} ${renderValue(exemplar.value)} ${exemplar.timestamp}`;
    }
    lines.push(line);
  }
}

function renderLabels(labels: Sample["labels"]): string {
  let text = "";
  for (const name in labels) {
    const value = labels[name] as string | number;
    const shown = name === "le" || name === "quantile" ? renderBound(value) : escapeLabel(String(value));
    text += `${text === "" ? "{" : ","}${name}="${shown}"`;
  }
  return text === "" ? "" : `${text}}`;
}

/** OpenMetrics, "Canonical Numbers": with a point, which shows that it is not an integer. */
function renderBound(bound: string | number): string {
  const text = String(bound);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function renderValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

const escapeLabel = (text: string): string =>
  /[\\\n"]/.test(text) ? text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"') : text;

/** Only OpenMetrics escapes quotes in help texts. */
function escapeHelp(text: string, format: MetricsFormat): string {
  return format === "openmetrics" ? escapeLabel(text) : text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");
}
