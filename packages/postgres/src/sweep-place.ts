/** How long a sweep goes on where it was. Then it starts again, for the few rows that others held when it came by. */
const BEGIN_ANEW_MS = 60 * 60 * 1000;

/**
 * How far a sweep has come along its index. While a session holds an old snapshot, deleted rows stay in the
 * index, and a step that begins at the first row walks over all of it: each step took longer than the one
 * before. A step that begins at its place walks over none.
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

  /** Where the next step begins: behind this value, or with it, where several rows may have it. */
  get after(): string {
    if (this.#now() - this.#since >= BEGIN_ANEW_MS) {
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
