import { backoffMs } from "../retry.ts";

/**
 * Answers in a row, for each request that may be open, after which one more may be: a service that was too
 * busy gets its load back over dozens of requests, and not with the first success.
 */
const ANSWERS_PER_STEP = 10;

/** A request that failed and will be repeated. */
interface Setback {
  /** What `begin` gave when the request was sent. */
  readonly begun: number;
  /** Whether the service said that it is too busy (429, 503). */
  readonly busy: boolean;
  readonly retryAfterMs: number;
}

/**
 * How many requests may be open, and from when on: half as many whenever the service is too busy, one more
 * after many answers; a pause after every failure, which doubles until an answer comes.
 *
 * Requests that were under way together fail together: the first of these failures counts, and the others are
 * part of the same setback.
 */
export class Pace {
  readonly #max: number;
  readonly #delayMs: (failures: number) => number;
  #limit: number;
  #answers = 0;
  /** Setbacks since the last answer. */
  #failures = 0;
  /** Setbacks in all. */
  #setbacks = 0;
  #resumeAt = 0;

  /** @param delayMs the pause after this many failures in a row, in milliseconds */
  constructor(max: number, delayMs = (failures: number) => backoffMs(failures, Math.random())) {
    this.#max = max;
    this.#limit = max;
    this.#delayMs = delayMs;
  }

  get limit(): number {
    return this.#limit;
  }

  /** A request leaves. Its failure is reported with the number that this gives. */
  begin(): number {
    return this.#setbacks;
  }

  /** Milliseconds from `now` until a request may leave; 0 for at once. Never negative. */
  waitMs(now: number): number {
    return Math.max(0, this.#resumeAt - now);
  }

  answered(): void {
    this.#failures = 0;
    this.#answers += 1;
    if (this.#limit === this.#max || this.#answers < ANSWERS_PER_STEP * this.#limit) return;
    this.#limit += 1;
    this.#answers = 0;
  }

  /** @returns how long nothing is sent, from `now`, in milliseconds */
  failed({ begun, busy, retryAfterMs }: Setback, now: number): number {
    if (begun === this.#setbacks) {
      this.#setbacks += 1;
      this.#failures += 1;
      this.#answers = 0;
      if (busy) this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.#resumeAt = Math.max(this.#resumeAt, now + this.#delayMs(this.#failures));
    }
    this.#resumeAt = Math.max(this.#resumeAt, now + retryAfterMs);
    return this.waitMs(now);
  }
}
