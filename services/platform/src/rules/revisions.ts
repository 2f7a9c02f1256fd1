import { groupBy } from "#domain";

/** A value since a moment, in microseconds since 1970; null: it was deleted. */
export interface Revision<T> {
  readonly id: string;
  readonly since: number;
  readonly value: T | null;
}

/** The index of the newest revision that has begun by then; -1: none has. For nearly every purchase it is the last. */
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
 * The revisions of programs and deals. A purchase is judged by the revision in force when it was authorized, or by the first if it is
 * older (contract, section 8). So the result never changes.
 */
export class Revisions<T> {
  /** By id, the oldest first. */
  readonly #histories: ReadonlyMap<string, Revision<T>[]>;

  /** @param revisions in any order; no two of one id have the same moment */
  constructor(revisions: Iterable<Revision<T>>) {
    this.#histories = groupBy(revisions, ({ id }) => id);
    for (const history of this.#histories.values()) history.sort((a, b) => a.since - b.since);
  }

  /** undefined: it was deleted by then, or never existed. @param at microseconds since 1970 */
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
