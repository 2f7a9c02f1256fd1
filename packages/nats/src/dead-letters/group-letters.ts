import type { StoredDeadLetter } from "./stored-dead-letters.ts";

/** Dead letters from one stream with one reason. */
export interface LetterGroup {
  readonly stream: string;
  readonly reason: string;
  count: number;
  oldest: Date;
  newest: Date;
  /** The number of letters for each SQLSTATE. */
  readonly errors: Map<string, number>;
}

/** Counts letters by stream and reason. Holds one entry per group, however many letters there are. */
export class LetterGroups {
  readonly #groups = new Map<string, LetterGroup>();

  add({ at, letter }: StoredDeadLetter): void {
    const key = `${letter.hop}\n${letter.reason}`;
    const group = this.#groups.get(key) ?? {
      stream: letter.hop,
      reason: letter.reason,
      count: 0,
      oldest: at,
      newest: at,
      errors: new Map<string, number>(),
    };
    this.#groups.set(key, group);
    group.count++;
    if (at < group.oldest) group.oldest = at;
    if (at > group.newest) group.newest = at;
    if (letter.error === undefined) return;
    group.errors.set(letter.error, (group.errors.get(letter.error) ?? 0) + 1);
  }

  /** The groups with the most letters first. */
  get sorted(): LetterGroup[] {
    return [...this.#groups.values()].sort(
      (a, b) => b.count - a.count || a.stream.localeCompare(b.stream) || a.reason.localeCompare(b.reason),
    );
  }
}
