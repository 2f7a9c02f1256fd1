import { type Percentiles, Timeline, type TimelineFigures } from "../kit/timeline.ts";

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
export interface Measured extends Pick<TimelineFigures, "seconds" | "latency"> {
  /** As in `TimelineFigures`; latencies where the generator knows them over time. */
  readonly pieces: readonly {
    readonly second: number;
    readonly perSecond: number;
    readonly latency?: Percentiles;
  }[];
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

/** What an answer of this status makes of its request: one of the bits above. */
export function fateOf(status: number): number {
  if (status === 503) return REFUSED;
  if (status !== 200 && status !== 202) return status >= 500 ? UNKNOWN : UNEXPECTED;
  return ACCEPTED;
}

/** Texts of the answers; few differ when requests are small, and few come when they are large. */
export class AnswerTexts {
  readonly #processed = new Map<string, number>();
  /** Up to three that should not be. */
  readonly unexpected: string[] = [];

  add(text: string, times = 1): void {
    if (text.startsWith('{"status":"processed"')) {
      this.#processed.set(text, (this.#processed.get(text) ?? 0) + times);
    } else if (this.unexpected.length < 3 && !text.startsWith('{"status":"accepted"')) {
      if (!text.includes('"unavailable"')) this.unexpected.push(text.slice(0, 400));
    }
  }

  addUp(): ProcessedCounts {
    const sum = { accepted: 0, created: 0, updated: 0, unchanged: 0 };
    for (const [text, times] of this.#processed) {
      const body = JSON.parse(text) as ProcessedCounts;
      sum.accepted += times * body.accepted;
      sum.created += times * body.created;
      sum.updated += times * body.updated;
      sum.unchanged += times * body.unchanged;
    }
    return sum;
  }
}

/** Gathers answers as they come, cheaply; adds up afterwards. */
export class Tally {
  readonly #size: number;
  readonly #timeline: Timeline;
  readonly #statuses = new Map<number, number>();
  readonly #texts = new AnswerTexts();

  /** @param size events in a request; the times are those of `performance.now()` */
  constructor(size: number, startMs: number, endMs: number) {
    this.#size = size;
    this.#timeline = new Timeline(startMs, endMs);
  }

  /** As `Timeline.endMs`. */
  get endMs(): number {
    return this.#timeline.endMs;
  }

  /** As `Timeline.answered`. */
  answered(nowMs: number): void {
    this.#timeline.answered(nowMs);
  }

  /** @returns the fate, one of the bits above */
  answer(nowMs: number, latencyMs: number, status: number): number {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    const fate = fateOf(status);
    if (fate === ACCEPTED) this.#timeline.add(nowMs, latencyMs);
    return fate;
  }

  body(text: string): void {
    this.#texts.add(text);
  }

  /** @param endMs when the measured time really ended, if a lane ran dry before its time */
  measure(endMs?: number): Measured {
    const { seconds, perSecond, latency, pieces } = this.#timeline.figures(endMs);
    return {
      ...{ seconds, latency, pieces, size: this.#size },
      requestsPerSecond: perSecond,
      eventsPerSecond: perSecond * this.#size,
      statuses: Object.fromEntries(this.#statuses),
      processed: this.#texts.addUp(),
      unexpected: this.#texts.unexpected,
    };
  }
}
