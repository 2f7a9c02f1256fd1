import { groupBy } from "#domain";

/** What something was from a moment on, in microseconds since 1970; null: it was deleted. */
export interface Revision<T> {
  readonly id: string;
  readonly since: number;
  readonly value: T | null;
}

/** The place of the newest that has begun by then; -1: none has. Nearly every purchase is of the last. */
export function placeAt(begun: readonly { readonly since: number }[], at: number): number {
  const sinceOf = (place: number) => (begun[place] as { readonly since: number }).since;
  let [low, high] = [0, begun.length];
  if (high > 0 && sinceOf(high - 1) <= at) return high - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sinceOf(middle) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * What programs and deals have been, and from when on. A purchase is judged by what was in force when it was authorized, and
 * before the first revision by the first (contract, section 8). So the answer is the same whenever it is asked for.
 */
export class Revisions<T> {
  /** By id, the oldest first. */
  readonly #histories: ReadonlyMap<string, Revision<T>[]>;

  /** @param revisions in any order, those of one id at different moments */
  constructor(revisions: Iterable<Revision<T>>) {
    this.#histories = groupBy(revisions, ({ id }) => id);
    for (const history of this.#histories.values()) history.sort((a, b) => a.since - b.since);
  }

  /** Of what has had one revision only, by id. */
  static unchanging<T>(values: Iterable<readonly [string, T]>): Revisions<T> {
    return new Revisions([...values].map(([id, value]) => ({ id, since: 0, value })));
  }

  /** undefined: it was deleted then, or never there. @param at microseconds since 1970 */
  inForce(id: string, at: number): T | undefined {
    const history = this.#histories.get(id);
    if (history === undefined) return undefined;
    return history[Math.max(0, placeAt(history, at))]?.value ?? undefined;
  }

  /** All that are in force at a moment, with their ids. */
  *allInForce(at: number): Generator<readonly [string, T]> {
    for (const id of this.#histories.keys()) {
      const value = this.inForce(id, at);
      if (value !== undefined) yield [id, value];
    }
  }
}
