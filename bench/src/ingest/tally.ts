import { type Percentiles, Timeline, type TimelineFigures } from "../kit/timeline.ts";

/** The fates of a request, as bits: a repeated request may meet several. */
export const ACCEPTED = 1;
export const REFUSED = 2;
/** No answer came, or one that does not say whether the events are stored. */
export const UNKNOWN = 4;
/** An answer that this workload must never get. */
export const UNEXPECTED = 8;

/** The sums of the counts in `{"status":"processed"}` answers. */
export interface ProcessedCounts {
  readonly accepted: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Accepted requests in the measured time: without the warm-up and the answers after the end. */
export interface Measured extends Pick<TimelineFigures, "seconds" | "latency"> {
  /** Like in `TimelineFigures`; latencies if the generator knows them over time. */
  readonly pieces: readonly {
    readonly second: number;
    readonly perSecond: number;
    readonly latency?: Percentiles;
  }[];
  /** Events in a request, or in a batch if there are no requests. */
  readonly size: number;
  readonly requestsPerSecond: number;
  /** Events of accepted requests. */
  readonly eventsPerSecond: number;
  /** Answers by HTTP status over the whole run, including the warm-up. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly processed: ProcessedCounts;
  /** Up to three unexpected answers. */
  readonly unexpected: readonly string[];
}

/** The fate of a request with an answer of this status: one of the bits above. */
export function fateOf(status: number): number {
  if (status === 503) return REFUSED;
  if (status !== 200 && status !== 202) return status >= 500 ? UNKNOWN : UNEXPECTED;
  return ACCEPTED;
}

/** Texts of the answers; small requests have few different ones, and large requests few answers. */
export class AnswerTexts {
  readonly #processed = new Map<string, number>();
  /** Up to three unexpected ones. */
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

/** Collects answers cheaply, and adds them up afterwards. */
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

  /** Like `Timeline.endMs`. */
  get endMs(): number {
    return this.#timeline.endMs;
  }

  /** Like `Timeline.answered`. */
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

  /** @param endMs when the measured time really ended, if a lane was used up before its time */
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
