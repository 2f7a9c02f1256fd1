/** One line with a value. Its labels are in the order in which they were written. */
export interface ExposedSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  readonly exemplar: { labels: ReadonlyMap<string, string>; value: number; timestamp: number } | undefined;
}

export interface ExposedFamily {
  /** The name of its TYPE line: in OpenMetrics, a counter's name there has no `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: ExposedSample[];
}

type Format = "text" | "openmetrics";

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABELS = '\\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"(?:,(?!\\})|(?=\\})))*\\}';
const NUMBER = "(?:NaN|[+-]Inf|[+-]?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)";
const META = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(
  `^(${NAME})(${LABELS})? (${NUMBER})(?: # (${LABELS}) (${NUMBER}) (\\d+(?:\\.\\d+)?))?$`,
);
const LABEL = /([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"/g;
/** How many characters the label names and values of one exemplar may have together (OpenMetrics 1.0, "Exemplars"). */
const EXEMPLAR_CHARACTERS = 128;

/** The suffixes of each type's samples, after the family's name. */
const SUFFIXES: Readonly<Record<string, Readonly<Record<Format, readonly string[]>>>> = {
  counter: { text: [""], openmetrics: ["_total"] },
  gauge: { text: [""], openmetrics: [""] },
  histogram: { text: ["_bucket", "_sum", "_count"], openmetrics: ["_bucket", "_sum", "_count"] },
};

/**
 * Reads a scrape strictly. A fault is a violation of a rule of the format, or of a rule that Prometheus needs
 * to read it: each family once and in one piece, no series twice, buckets that rise.
 *
 * Sources: "Exposition formats" of Prometheus (0.0.4), OpenMetrics 1.0.0.
 */
export function readExposition(
  text: string,
  format: Format,
): { families: ExposedFamily[]; faults: string[] } {
  const lines = text.split("\n");
  const reader = new ExpositionReader(format);
  if (lines.pop() !== "") reader.faults.push("the last line does not end");
  if (format === "openmetrics" && lines.pop() !== "# EOF") reader.faults.push("# EOF is not the last line");
  for (const line of lines) reader.read(line);
  const families = [...reader.families.values()];
  return { families, faults: [...reader.faults, ...families.flatMap(familyFaults)] };
}

class ExpositionReader {
  readonly families = new Map<string, ExposedFamily>();
  readonly faults: string[] = [];
  readonly #format: Format;
  readonly #series = new Set<string>();
  #help: { name: string; text: string } | undefined;
  #family: ExposedFamily | undefined;

  constructor(format: Format) {
    this.#format = format;
  }

  read(line: string): void {
    const [, what, name = "", value = ""] = META.exec(line) ?? [];
    if (what === "HELP") this.#begin(name, value);
    else if (what === "TYPE") this.#type(name, value, line);
    else this.#sample(line);
  }

  #begin(name: string, text: string): void {
    if (this.families.has(name)) this.faults.push(`${name} begins twice`);
    this.#help = { name, text };
    this.#family = undefined;
  }

  #type(name: string, type: string, line: string): void {
    if (this.#help?.name !== name || this.#family !== undefined) {
      this.faults.push(`TYPE does not follow HELP: ${line}`);
      return;
    }
    if (SUFFIXES[type] === undefined) this.faults.push(`unknown type: ${line}`);
    this.#family = { name, help: this.#help.text, type, samples: [] };
    this.families.set(name, this.#family);
  }

  #sample(line: string): void {
    const sample = readSample(line);
    if (sample === undefined) {
      this.faults.push(`not a line of this format: ${line}`);
      return;
    }
    if (this.#family === undefined || !isOf(sample.name, this.#family, this.#format)) {
      this.faults.push(`outside its family: ${line}`);
      return;
    }
    if (sample.exemplar !== undefined) this.faults.push(...exemplarFaults(sample, this.#format, line));
    const key = seriesOf(sample);
    if (this.#series.has(key)) this.faults.push(`twice: ${line}`);
    this.#series.add(key);
    this.#family.samples.push(sample);
  }
}

function isOf(sample: string, family: ExposedFamily, format: Format): boolean {
  return SUFFIXES[family.type]?.[format].some((suffix) => sample === family.name + suffix) ?? false;
}

function readSample(line: string): ExposedSample | undefined {
  const match = SAMPLE.exec(line);
  if (match === null) return undefined;
  const [, name = "", labels = "", value = "", exemplar, exemplarValue = "", timestamp] = match;
  return {
    name,
    labels: readLabels(labels),
    value: readNumber(value),
    exemplar:
      exemplar === undefined
        ? undefined
        : { labels: readLabels(exemplar), value: readNumber(exemplarValue), timestamp: Number(timestamp) },
  };
}

function readLabels(text: string): Map<string, string> {
  const pairs = [...text.matchAll(LABEL)];
  const labels = new Map(pairs.map(([, name = "", value = ""]) => [name, value]));
  // A name that is given twice is reported as a label that no rule allows.
  if (labels.size < pairs.length) labels.set("given twice", text);
  return labels;
}

function readNumber(text: string): number {
  return text.endsWith("Inf") ? Number(`${text}inity`) : Number(text);
}

function seriesOf({ name, labels }: ExposedSample): string {
  return `${name}{${[...labels].map(([label, value]) => `${label}="${value}"`).sort()}}`;
}

function exemplarFaults(sample: ExposedSample, format: Format, line: string): string[] {
  const faults: string[] = [];
  const exemplar = sample.exemplar as NonNullable<ExposedSample["exemplar"]>;
  if (format === "text") faults.push(`plain text has no exemplars: ${line}`);
  if (!/_(?:bucket|total)$/.test(sample.name)) faults.push(`an exemplar has no place here: ${line}`);
  const characters = [...exemplar.labels].flat().join("").length;
  if (characters > EXEMPLAR_CHARACTERS) faults.push(`an exemplar of ${characters} characters: ${line}`);
  const bound = readNumber(sample.labels.get("le") ?? "+Inf");
  if (!(exemplar.value <= bound)) faults.push(`an exemplar beyond its bucket: ${line}`);
  return faults;
}

function familyFaults({ name, type, samples }: ExposedFamily): string[] {
  const faults: string[] = [];
  for (const sample of samples) {
    if (sample.labels.has("given twice")) faults.push(`a label is given twice: ${seriesOf(sample)}`);
    if (type === "counter" && !(sample.value >= 0)) faults.push(`a counter below 0: ${seriesOf(sample)}`);
  }
  if (type !== "histogram") return faults;
  const groups = new Map<string, ExposedSample[]>();
  for (const sample of samples) {
    const key = [...sample.labels]
      .filter(([label]) => label !== "le")
      .map(([label, value]) => `${label}="${value}"`)
      .sort()
      .join();
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups)
    faults.push(...histogramFaults(name, group).map((f) => `${name}{${key}}: ${f}`));
  return faults;
}

function histogramFaults(name: string, group: readonly ExposedSample[]): string[] {
  const faults: string[] = [];
  const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels }) => labels.get("le") ?? "");
  for (const bound of bounds) if (!/^\+Inf$|[.e]/.test(bound)) faults.push(`le="${bound}" shows no float`);
  for (let i = 1; i < buckets.length; i++) {
    if (!(readNumber(bounds[i] ?? "") > readNumber(bounds[i - 1] ?? ""))) faults.push("bounds do not rise");
    if ((buckets[i]?.value ?? 0) < (buckets[i - 1]?.value ?? 0)) faults.push("counts fall");
  }
  if (bounds.at(-1) !== "+Inf") faults.push("it does not end with +Inf");
  const [count, ...otherCounts] = group.filter((sample) => sample.name === `${name}_count`);
  if (otherCounts.length > 0 || count?.value !== buckets.at(-1)?.value)
    faults.push("its count is not that of +Inf");
  if (group.filter((sample) => sample.name === `${name}_sum`).length !== 1) faults.push("it has no sum");
  return faults;
}
