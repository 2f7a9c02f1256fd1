import type { NotKept } from "./not-kept.ts";
import { type RowAt, type RowRejection, type RowResult, TAKEN } from "./row-result.ts";

/** Reasons that are counted apart. A hostile file could have a new one in each row. */
const MAX_REASONS = 100;
const OTHER: RowRejection = { code: "other", reason: "reasons beyond the first 100" };

/** How many rows were rejected for one reason. */
interface RejectedCount {
  readonly code: string;
  readonly reason: string;
  count: number;
  /** The input and the line of the first of them. */
  readonly input: number;
  readonly line: number;
  readonly detail?: string;
}

/** A tally in a checkpoint. */
export interface StoredTally {
  /** Absent in older checkpoints, like the next four. */
  readonly ignored?: number;
  readonly unlisted?: number;
  readonly members_made?: number;
  readonly unnamed?: number;
  readonly not_kept_before?: NotKept;
  readonly taken: Readonly<Record<(typeof TAKEN)[number], number>>;
  readonly rejected: readonly Readonly<RejectedCount>[];
}

/** Counts the results of rows. */
export class Tally {
  readonly taken: Record<(typeof TAKEN)[number], number>;
  readonly #rejected = new Map<string, RejectedCount>();
  rejected = 0;
  /** Rows that were taken except for fields that differ from the stored values. */
  ignored: number;
  /** How many of them the service counted without naming them. */
  unlisted: number;
  membersMade: number;
  /** Rejections that the service did not keep, so that rows counted as applied may be among them. */
  unnamed: number;
  /** Those that were not kept when the import began. */
  notKeptBefore: NotKept | undefined;

  /** @param stored of an import that is resumed */
  constructor(stored?: StoredTally) {
    this.taken = { created: 0, updated: 0, unchanged: 0, applied: 0, valid: 0, ...stored?.taken };
    this.ignored = stored?.ignored ?? 0;
    this.unlisted = stored?.unlisted ?? 0;
    this.membersMade = stored?.members_made ?? 0;
    this.unnamed = stored?.unnamed ?? 0;
    this.notKeptBefore = stored?.not_kept_before;
    for (const count of stored?.rejected ?? []) {
      this.#rejected.set(keyOf(count), { ...count });
      this.rejected += count.count;
    }
  }

  add(at: RowAt, result: RowResult): void {
    if (result.outcome !== "rejected") {
      this.taken[result.outcome]++;
      if (result.ignored !== undefined) this.ignored++;
      return;
    }
    this.rejected++;
    let { rejection } = result;
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

  addUnlisted(events: number): void {
    this.ignored += events;
    this.unlisted += events;
  }

  get rows(): number {
    return TAKEN.reduce((sum, outcome) => sum + this.taken[outcome], this.rejected);
  }

  /** The most frequent first. */
  reasons(): readonly Readonly<RejectedCount>[] {
    return [...this.#rejected.values()].sort((a, b) => b.count - a.count);
  }

  store(): StoredTally {
    return {
      ignored: this.ignored,
      unlisted: this.unlisted,
      members_made: this.membersMade,
      unnamed: this.unnamed,
      ...(this.notKeptBefore !== undefined && { not_kept_before: this.notKeptBefore }),
      taken: { ...this.taken },
      rejected: [...this.#rejected.values()].map((count) => ({ ...count })),
    };
  }
}

const keyOf = ({ code, reason }: { code: string; reason: string }): string => `${code}\n${reason}`;
