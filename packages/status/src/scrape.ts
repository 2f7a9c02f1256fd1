/** One line of a scrape with a value. */
interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Selects samples of a name: those whose labels have one of the values. */
export type Labels = Readonly<Record<string, string | readonly string[]>>;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(?<!\w)([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n" };

/** The `/metrics` of one process, or of the whole all-in-one, at one moment. */
export class Scrape {
  readonly #byName = new Map<string, MetricSample[]>();

  /** @param text in Prometheus' own format. Other lines are ignored. */
  constructor(text: string) {
    for (const line of text.split("\n")) {
      const [, name, labels = "", value = ""] = LINE.exec(line) ?? [];
      if (name === undefined) continue;
      const sample = { labels: readLabels(labels), value: readNumber(value) };
      const known = this.#byName.get(name);
      if (known === undefined) this.#byName.set(name, [sample]);
      else known.push(sample);
    }
  }

  /** The samples of a name that have these labels. */
  samples(name: string, wanted: Labels = {}): MetricSample[] {
    const conditions = Object.entries(wanted);
    return (this.#byName.get(name) ?? []).filter(({ labels }) =>
      conditions.every(([label, values]) => [values].flat().includes(labels[label] ?? "")),
    );
  }

  /**
   * Sums of the samples that have the same values of some labels, by these values, separated by line feeds.
   */
  totals(name: string, wanted: Labels | undefined, by: readonly string[]): Map<string, number> {
    const totals = new Map<string, number>();
    for (const { labels, value } of this.samples(name, wanted)) {
      const key = by.map((label) => labels[label] ?? "").join("\n");
      totals.set(key, (totals.get(key) ?? 0) + value);
    }
    return totals;
  }

  /** The sum of the samples; undefined if there are none. */
  sum(name: string, wanted?: Labels): number | undefined {
    const samples = this.samples(name, wanted);
    return samples.length === 0 ? undefined : samples.reduce((total, { value }) => total + value, 0);
  }
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(LABEL)) {
    labels[name] = value.replace(/\\(.)/g, (_, character: string) => ESCAPED[character] ?? character);
  }
  return labels;
}

function readNumber(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  return text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}
