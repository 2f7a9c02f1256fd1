/** Counters that only rise, by name. */
export type Counters = Readonly<Record<string, number>>;

interface Reading {
  /** By the clock. */
  readonly atMs: number;
  readonly counters: Counters;
}

/** Readings of counters over time, and what they rose by between any two moments. */
export class CounterSeries {
  readonly #readings: Reading[] = [];

  add(atMs: number, counters: Counters): void {
    this.#readings.push({ atMs, counters });
  }

  /** How much each counter rose between two moments; between two readings it is taken to rise evenly. */
  between(fromMs: number, toMs: number): Counters {
    const names = new Set(this.#readings.flatMap(({ counters }) => Object.keys(counters)));
    const rises = [...names].map((name) => [name, this.#at(name, toMs) - this.#at(name, fromMs)] as const);
    return Object.fromEntries(rises);
  }

  #at(name: string, atMs: number): number {
    // A counter that is not there yet has not begun.
    const readOf = ({ counters }: Reading) => counters[name] ?? 0;
    const after = this.#readings.findIndex((reading) => reading.atMs >= atMs);
    if (after === -1) return this.#readings.length === 0 ? 0 : readOf(this.#readings.at(-1) as Reading);
    const next = this.#readings[after] as Reading;
    const last = this.#readings[after - 1];
    if (last === undefined) return readOf(next);
    const share = (atMs - last.atMs) / (next.atMs - last.atMs);
    return readOf(last) + share * (readOf(next) - readOf(last));
  }
}
