import { Timeline, type TimelineFigures } from "../kit/timeline.ts";

/** What became of a request. Bits: a request that is sent again may meet several fates. */
export const ACCEPTED = 1;
export const REFUSED = 2;
/** No answer came, or one that does not say whether the events are stored. */
export const UNKNOWN = 4;
/** An answer that this workload never deserves. */
export const UNEXPECTED = 8;

/** Counts of `{"status":"processed"}` answers added up. */
export interface ProcessedCounts {
  readonly accepted: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Accepted requests over the measured time: warm-up and the answers after the end are not in it. */
export interface Measured extends Pick<TimelineFigures, "seconds" | "latency" | "pieces"> {
  /** Events in a request; in a batch, where there are no requests. */
  readonly size: number;
  readonly requestsPerSecond: number;
  /** Events of accepted requests. */
  readonly eventsPerSecond: number;
  /** Answers by HTTP status over the whole run, warm-up included. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly processed: ProcessedCounts;
  /** Up to three answers that should not be. */
  readonly unexpected: readonly string[];
}

/** Gathers answers as they come, cheaply; adds up afterwards. */
export class Tally {
  readonly #size: number;
  readonly #timeline: Timeline;
  readonly #statuses = new Map<number, number>();
  readonly #bodies = new Map<string, number>();
  readonly #unexpected: string[] = [];

  /** @param size events in a request; the times are those of `performance.now()` */
  constructor(size: number, startMs: number, endMs: number) {
    this.#size = size;
    this.#timeline = new Timeline(startMs, endMs);
  }

  /** @returns the fate, one of the bits above */
  answer(nowMs: number, latencyMs: number, status: number): number {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 503) return REFUSED;
    if (status !== 200 && status !== 202) return status >= 500 ? UNKNOWN : UNEXPECTED;
    this.#timeline.add(nowMs, latencyMs);
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
  measure(endMs?: number): Measured {
    const { seconds, perSecond, latency, pieces } = this.#timeline.figures(endMs);
    return {
      ...{ seconds, latency, pieces, size: this.#size },
      requestsPerSecond: perSecond,
      eventsPerSecond: perSecond * this.#size,
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
