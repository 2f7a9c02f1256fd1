import type { Histogram, Registry } from "prom-client";

type Labels<L extends string> = Readonly<Record<L, string>>;

/** One label combination. The last place of each list is for what lies beyond the highest bound. */
interface Series<L extends string> {
  readonly labels: Labels<L>;
  readonly counts: number[];
  readonly exemplars: Array<{ labelSet: { trace_id: string }; value: number; timestamp: number } | undefined>;
  sum: number;
}

/**
 * A histogram that keeps, for each bucket of each label combination, the trace id of its latest observation: an
 * exemplar. They are served in the OpenMetrics format only.
 *
 * Our own, and prom-client's only by its looks: that one's `observe` takes other arguments where exemplars are on, and
 * mistakes the usual ones for them; and it is called for every statement and request (see `observe`).
 */
export class TracedHistogram<L extends string = never> {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly #bounds: readonly number[];
  readonly #labelNames: readonly L[];
  readonly #series = new Map<string, Series<L>>();

  constructor(options: {
    name: string;
    help: string;
    buckets: readonly number[];
    labelNames: readonly L[];
    registry: Registry;
  }) {
    this.name = options.name;
    this.help = options.help;
    this.#bounds = options.buckets;
    this.#labelNames = options.labelNames;
    if (options.labelNames.length === 0) this.#find({} as Labels<L>);
    // Of a metric the registry asks for no more than name, help, type and `get`.
    options.registry.registerMetric(this as unknown as Histogram);
  }

  /**
   * Allocates next to nothing, since every statement of the database is two of these: 8 to 16 ns of the processor each,
   * where prom-client's took 160 to 240 (and showed in the costs of small statements).
   * @param traceId 32 lower-case hex characters; undefined: the value counts, and no exemplar is kept
   */
  observe(labels: Labels<L>, value: number, traceId?: string | undefined): void {
    if (!Number.isFinite(value)) throw new RangeError(`${this.name} cannot count ${value}`);
    const series = this.#find(labels);
    const bucket = this.#bucketOf(value);
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += value;
    if (traceId === undefined) return;
    const exemplar = series.exemplars[bucket];
    const timestamp = Date.now() / 1000;
    if (exemplar === undefined) {
      series.exemplars[bucket] = { labelSet: { trace_id: traceId }, value, timestamp };
    } else {
      exemplar.labelSet.trace_id = traceId;
      exemplar.value = value;
      exemplar.timestamp = timestamp;
    }
  }

  /** Makes the combination known with no observation yet. */
  zero(labels: Labels<L>): void {
    this.#find(labels);
  }

  /** As prom-client's metrics give themselves. */
  async get() {
    const values = [...this.#series.values()].flatMap((series) => this.#valuesOf(series));
    return { name: this.name, help: this.help, type: this.type, aggregator: "sum" as const, values };
  }

  #find(labels: Labels<L>): Series<L> {
    const key = this.#keyOf(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      const buckets = this.#bounds.length + 1;
      series = {
        labels: { ...labels },
        counts: new Array<number>(buckets).fill(0),
        exemplars: new Array(buckets).fill(undefined),
        sum: 0,
      };
      this.#series.set(key, series);
    }
    return series;
  }

  /** With one label its value is the key, and nothing is put together. */
  #keyOf(labels: Labels<L>): string {
    const names = this.#labelNames;
    let key = names.length === 0 ? "" : labels[names[0] as L];
    for (let i = 1; i < names.length; i++) key += `\u0000${labels[names[i] as L]}`;
    return key;
  }

  #bucketOf(value: number): number {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    return bucket;
  }

  #valuesOf({ labels, counts, exemplars, sum }: Series<L>) {
    let count = 0;
    const buckets = [...this.#bounds, "+Inf"].map((le, bucket) => {
      count += counts[bucket] as number;
      const exemplar = exemplars[bucket];
      const kept = exemplar && { ...exemplar, labelSet: { ...exemplar.labelSet } };
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count, exemplar: kept };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels: { ...labels }, value: sum, exemplar: undefined },
      { metricName: `${this.name}_count`, labels: { ...labels }, value: count, exemplar: undefined },
    ];
  }
}
