import type { Labels, Scrape } from "./scrape.ts";

/** The answer of one operations address. */
export interface Source {
  readonly url: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  readonly scrape: Scrape;
}

/** All addresses, asked once. */
export interface Observation<S extends Source = Source> {
  readonly sources: readonly S[];
  /** Addresses without an answer, and why, for people. */
  readonly silent: ReadonlyArray<{ readonly url: string; readonly reason: string }>;
}

/** The growth of counters between two scrapes of a source. */
interface Growth {
  /** Totals by the labels that were asked for, of which `service` is the first (`Scrape.totals`). */
  readonly totals: ReadonlyMap<string, number>;
  readonly seconds: number;
}

/**
 * Two observations, one after the other: counters become rates, and gauges are those of the second. All
 * numbers cover all processes that were asked.
 */
export class Change {
  readonly #before: Observation;
  readonly #now: Observation;

  constructor(before: Observation, now: Observation) {
    this.#before = before;
    this.#now = now;
  }

  get sources(): readonly Source[] {
    return this.#now.sources;
  }

  /** Whether the whole all-in-one was asked, so that a service without an answer does not run. */
  get isWhole(): boolean {
    return this.sources.some(({ scrape }) => scrape.samples("stampede_child_up").length > 0);
  }

  /** Whether any process of a service answered both times, so that its counters have a rate. */
  isMeasured(service: string): boolean {
    return this.sources.some((source) => {
      const before = this.#beforeOf(source);
      return before !== undefined && [before, source].every(({ scrape }) => isIn(scrape, service));
    });
  }

  /** The growth of counters in a second, summed. 0 for a process that did not answer before. */
  rate(name: string, labels?: Labels): number {
    let rate = 0;
    for (const { totals, seconds } of this.#growths(name, labels, ["service"])) {
      for (const growth of totals.values()) rate += growth / seconds;
    }
    return rate;
  }

  /** The values that a histogram counted between the two: by upper bound, how many are at most that large. */
  buckets(name: string, labels?: Labels): Map<number, number> {
    const buckets = new Map<number, number>();
    for (const { totals } of this.#growths(`${name}_bucket`, labels, ["service", "le"])) {
      for (const [key, growth] of totals) {
        const le = key.slice(key.indexOf("\n") + 1);
        const bound = le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
        buckets.set(bound, (buckets.get(bound) ?? 0) + growth);
      }
    }
    return buckets;
  }

  /** Gauges of which every process has its own part. */
  sum(name: string, labels?: Labels): number {
    return this.sources.reduce((total, { scrape }) => total + (scrape.sum(name, labels) ?? 0), 0);
  }

  /**
   * A gauge that every process shows with the same value, or whose worst value counts. Undefined if no
   * process has it.
   */
  max(name: string, labels?: Labels): number | undefined {
    const values = this.#samples(name, labels).map(({ value }) => value);
    return values.length === 0 ? undefined : Math.max(...values);
  }

  count(name: string, labels?: Labels): number {
    return this.#samples(name, labels).length;
  }

  /** A gauge of streams, by stream; if several processes show the same stream, the highest value. */
  byStream(name: string, isWanted: (stream: string) => boolean): Map<string, number> {
    const values = new Map<string, number>();
    for (const { labels, value } of this.#samples(name)) {
      const { stream = "" } = labels;
      if (isWanted(stream)) values.set(stream, Math.max(value, values.get(stream) ?? value));
    }
    return values;
  }

  /** Growth is computed per process, because a process that was restarted in between counts from 0 again. */
  #growths(name: string, labels: Labels | undefined, by: readonly string[]): Growth[] {
    return this.sources.flatMap((source) => {
      const before = this.#beforeOf(source);
      if (before === undefined) return [];
      const then = before.scrape.totals(name, labels, by);
      const totals = new Map<string, number>();
      for (const [key, now] of source.scrape.totals(name, labels, by)) {
        const service = key.split("\n", 1)[0] as string;
        // The process is new, or did not answer before: the time that its counters cover is unknown.
        if (!isIn(before.scrape, service)) continue;
        const from = isSameProcess(before.scrape, source.scrape, service) ? (then.get(key) ?? 0) : 0;
        totals.set(key, now >= from ? now - from : now);
      }
      return [{ totals, seconds: (source.at - before.at) / 1000 }];
    });
  }

  #beforeOf({ url, at }: Source): Source | undefined {
    return this.#before.sources.find((source) => source.url === url && source.at < at);
  }

  #samples(name: string, labels?: Labels) {
    return this.sources.flatMap(({ scrape }) => scrape.samples(name, labels));
  }
}

/** Every process reports whether it is ready. */
function isIn(scrape: Scrape, service: string): boolean {
  return scrape.samples("stampede_ready", { service }).length > 0;
}

function isSameProcess(before: Scrape, now: Scrape, service: string): boolean {
  const startOf = (scrape: Scrape) => scrape.sum("process_start_time_seconds", { service });
  return startOf(before) === startOf(now);
}

/**
 * A quantile from the buckets of a histogram, as PromQL's `histogram_quantile` computes it: it assumes that
 * values lie evenly in their bucket, the lowest bucket begins at 0, and for values above the highest finite
 * bound it gives that bound.
 *
 * @param quantile from 0 to 1
 * @param buckets by upper bound, how many values are at most so large; one of them is infinite
 * @returns undefined if there are no values
 */
export function quantileOf(quantile: number, buckets: ReadonlyMap<number, number>): number | undefined {
  const rising = [...buckets].sort(([a], [b]) => a - b);
  const total = rising.at(-1)?.[1] ?? 0;
  if (rising.at(-1)?.[0] !== Number.POSITIVE_INFINITY || !(total > 0)) return undefined;
  const rank = quantile * total;
  let [lower, below] = [0, 0];
  for (const [bound, count] of rising) {
    if (count >= rank && count > below) {
      return bound === Number.POSITIVE_INFINITY
        ? lower
        : lower + ((bound - lower) * (rank - below)) / (count - below);
    }
    [lower, below] = [bound, Math.max(below, count)];
  }
  return undefined;
}

export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
