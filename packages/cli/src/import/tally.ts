import { type Fate, type RowAt, type RowRejection, TAKEN } from "./fate.ts";

/** Different reasons that are counted apart. A hostile file could have as many as rows. */
const MAX_REASONS = 100;
const OTHER: RowRejection = { code: "other", reason: "reasons beyond the first 100" };

/** How many rows were rejected for one reason. */
export interface RejectedCount {
  readonly code: string;
  readonly reason: string;
  count: number;
  /** Where the first of them is: which input, and its line. */
  readonly input: number;
  readonly line: number;
  readonly detail?: string;
}

/** A tally as a checkpoint keeps it. */
export interface StoredTally {
  /** Rows that are counted in `taken` as well, with fields that differ from what is stored. Absent in older checkpoints. */
  readonly ignored?: number;
  /** How many of them the service has counted and not named: they are in no file. */
  readonly unlisted?: number;
  readonly members_made?: number;
  readonly taken: Readonly<Record<(typeof TAKEN)[number], number>>;
  readonly rejected: readonly Readonly<RejectedCount>[];
}

/** What became of the rows that are done. */
export class Tally {
  readonly taken: Record<(typeof TAKEN)[number], number>;
  readonly #rejected = new Map<string, RejectedCount>();
  #rejectedTotal = 0;
  #ignored: number;
  #unlisted: number;
  #membersMade: number;

  /** @param stored of an import that goes on */
  constructor(stored?: StoredTally) {
    this.taken = { created: 0, updated: 0, unchanged: 0, applied: 0, valid: 0, ...stored?.taken };
    this.#ignored = stored?.ignored ?? 0;
    this.#unlisted = stored?.unlisted ?? 0;
    this.#membersMade = stored?.members_made ?? 0;
    for (const count of stored?.rejected ?? []) {
      this.#rejected.set(keyOf(count), { ...count });
      this.#rejectedTotal += count.count;
    }
  }

  add(at: RowAt, fate: Fate): void {
    if (fate.outcome !== "rejected") {
      this.taken[fate.outcome]++;
      if (fate.ignored !== undefined) this.#ignored++;
      return;
    }
    this.#rejectedTotal++;
    let { rejection } = fate;
    if (!this.#rejected.has(keyOf(rejection)) && this.#rejected.size >= MAX_REASONS) rejection = OTHER;
    const known = this.#rejected.get(keyOf(rejection));
    if (known !== undefined) {
      known.count++;
      return;
    }
    const { code, reason, detail } = rejection;
    const first = { input: at.input, line: at.line, ...(detail !== undefined && { detail }) };
    this.#rejected.set(keyOf(rejection), { code, reason, count: 1, ...first });
  }

  /** Takes events of which something was ignored that the service has counted and not named. */
  addUnlisted(events: number): void {
    this.#ignored += events;
    this.#unlisted += events;
  }

  addMembersMade(members: number): void {
    this.#membersMade += members;
  }

  /** Rows that were taken but for fields that differ from what is stored. */
  get ignored(): number {
    return this.#ignored;
  }

  get unlisted(): number {
    return this.#unlisted;
  }

  get membersMade(): number {
    return this.#membersMade;
  }

  get rejected(): number {
    return this.#rejectedTotal;
  }

  get rows(): number {
    return TAKEN.reduce((sum, outcome) => sum + this.taken[outcome], this.#rejectedTotal);
  }

  /** The most frequent first. */
  reasons(): readonly Readonly<RejectedCount>[] {
    return [...this.#rejected.values()].sort((a, b) => b.count - a.count);
  }

  store(): StoredTally {
    return {
      ignored: this.#ignored,
      unlisted: this.#unlisted,
      members_made: this.#membersMade,
      taken: { ...this.taken },
      rejected: [...this.#rejected.values()].map((count) => ({ ...count })),
    };
  }
}

const keyOf = ({ code, reason }: { code: string; reason: string }): string => `${code}\n${reason}`;
