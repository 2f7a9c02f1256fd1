import type { PartResult } from "#contract/ingest";

/**
 * The outcome of each event of a request (`prefer: return=representation`), collected from the reports on its
 * parts, which come in any order. The place of its first event names a part; only the edge, which cut the
 * parts, knows the others.
 */
export class EventResults {
  readonly #letters: string[];
  /** The places of each part's events in the request, by the first of them. */
  readonly #parts = new Map<number, readonly number[]>();

  /** @param parts the places of each part's events, in their order */
  constructor(total: number, parts: readonly { readonly indexes: readonly number[] }[]) {
    this.#letters = new Array<string>(total).fill("");
    for (const { indexes } of parts) this.#parts.set(indexes[0] as number, indexes);
  }

  /**
   * Takes the first report on a part. It lacks letters only if an event of the part became a dead letter: then
   * the request never has all its results, and nothing reads `letters`.
   */
  take({ first, outcomes = "" }: PartResult): void {
    const indexes = this.#parts.get(first) ?? [];
    for (let at = 0; at < outcomes.length; at++)
      this.#letters[indexes[at] as number] = outcomes[at] as string;
  }

  /**
   * One of `OUTCOME_LETTERS` for each event, in the order of the request. Read it once all parts are
   * reported.
   */
  get letters(): string {
    return this.#letters.join("");
  }
}
