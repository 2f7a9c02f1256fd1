/** After this time a sweep starts over, for the few rows that other sessions had locked when it passed them. */
const START_OVER_MS = 60 * 60 * 1000;

/**
 * The place of a sweep in its index. While a session holds an old snapshot, deleted rows stay in the index, and a step that begins at the
 * first row passes all of them: each step took longer than the one before. A step that begins at this place passes none.
 */
export class SweepPlace {
  readonly #first: string;
  readonly #now: () => number;
  #last: string | undefined;
  #since: number;

  /** @param first a value before all others, as text */
  constructor(first: string, now: () => number = () => performance.now()) {
    this.#first = first;
    this.#now = now;
    this.#since = now();
  }

  /** The next step begins after this value, or with it if several rows may have it. */
  get after(): string {
    if (this.#now() - this.#since >= START_OVER_MS) {
      this.#since = this.#now();
      this.#last = undefined;
    }
    return this.#last ?? this.#first;
  }

  /** @param last the last value of the step; null: it found nothing */
  goOn(last: string | null): void {
    this.#last = last ?? this.#last;
  }
}

/** For columns of times. */
export const BEFORE_ALL_TIMES = "-infinity";
