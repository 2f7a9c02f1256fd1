/** What became of a request. Bits: a request that is sent again may meet several fates. */
export const ACCEPTED = 1;
export const REFUSED = 2;
/** No answer came, or one that does not say whether the events are stored. */
export const UNKNOWN = 4;
/** An answer that this workload never deserves. */
export const UNEXPECTED = 8;

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** A quarter of a second or so of a run. */
export interface SeriesPoint {
  /** Seconds from the start of the measured time to the point's end. */
  readonly second: number;
  readonly eventsPerSecond: number;
  /** Of the answers that came in it, in milliseconds. */
  readonly latency: Percentiles;
}

/** Counts of `{"status":"processed"}` answers added up. */
export interface ProcessedCounts {
  readonly accepted: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface Measured {
  /** The measured time; warm-up and the answers after the end are not in it. */
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** Events of accepted requests. */
  readonly eventsPerSecond: number;
  /** Accepted requests, in milliseconds. */
  readonly latency: Percentiles;
  readonly series: readonly SeriesPoint[];
  /** Answers by HTTP status over the whole run, warm-up included. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly processed: ProcessedCounts;
  /** Up to three answers that should not be. */
  readonly unexpected: readonly string[];
}

const BUCKET_MS = 250;

/** Gathers answers as they come, cheaply; adds up afterwards. */
export class Tally {
  readonly #size: number;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #buckets: number[][] = [];
  readonly #statuses = new Map<number, number>();
  readonly #bodies = new Map<string, number>();
  readonly #unexpected: string[] = [];

  /** @param size events in a request; the times are those of `performance.now()` */
  constructor(size: number, startMs: number, endMs: number) {
    this.#size = size;
    this.#startMs = startMs;
    this.#endMs = endMs;
  }

  /** @returns the fate, one of the bits above */
  answer(nowMs: number, latencyMs: number, status: number): number {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 503) return REFUSED;
    if (status !== 200 && status !== 202) return status >= 500 ? UNKNOWN : UNEXPECTED;
    if (nowMs >= this.#startMs && nowMs < this.#endMs) {
      const at = Math.floor((nowMs - this.#startMs) / BUCKET_MS);
      let bucket = this.#buckets[at];
      if (bucket === undefined) {
        bucket = [];
        this.#buckets[at] = bucket;
      }
      bucket.push(latencyMs);
    }
    return ACCEPTED;
  }

  /** Texts of the answers; few differ when requests are small, and few come when they are large. */
  body(text: string): void {
    if (text.startsWith('{"status":"processed"')) this.#bodies.set(text, (this.#bodies.get(text) ?? 0) + 1);
    else if (this.#unexpected.length < 3 && !text.startsWith('{"status":"accepted"')) {
      if (!text.includes('"unavailable"')) this.#unexpected.push(text.slice(0, 400));
    }
  }

  /** @param endMs when the measured time really ended, if a lane ran dry before its time */
  measure(endMs = this.#endMs): Measured {
    const seconds = (Math.min(endMs, this.#endMs) - this.#startMs) / 1000;
    const whole = Math.max(1, Math.floor((seconds * 1000) / BUCKET_MS));
    const buckets = Array.from({ length: whole }, (_, at) => this.#buckets[at] ?? []);
    const measured = (whole * BUCKET_MS) / 1000;
    const all = Float64Array.from(buckets.flat());
    return {
      seconds: measured,
      requestsPerSecond: all.length / measured,
      eventsPerSecond: (all.length * this.#size) / measured,
      latency: percentiles(all),
      series: buckets.map((bucket, at) => ({
        second: ((at + 1) * BUCKET_MS) / 1000,
        eventsPerSecond: (bucket.length * this.#size * 1000) / BUCKET_MS,
        latency: percentiles(Float64Array.from(bucket)),
      })),
      statuses: Object.fromEntries(this.#statuses),
      processed: this.#addUp(),
      unexpected: this.#unexpected,
    };
  }

  #addUp(): ProcessedCounts {
    const sum = { accepted: 0, created: 0, updated: 0, unchanged: 0 };
    for (const [text, times] of this.#bodies) {
      const body = JSON.parse(text) as ProcessedCounts;
      sum.accepted += times * body.accepted;
      sum.created += times * body.created;
      sum.updated += times * body.updated;
      sum.unchanged += times * body.unchanged;
    }
    return sum;
  }
}

/** Nearest rank; all zero when there is nothing. */
export function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: rank(0.5), p90: rank(0.9), p99: rank(0.99), max: sorted.at(-1) ?? 0 };
}
