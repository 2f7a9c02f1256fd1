import { type EventRow, writeEventRows } from "./event-row.ts";

/** Events as the bulk statements take them. `ord`s are unique, and below `count`. */
export interface EventBatch {
  readonly count: number;
  /** `writeEventRows` of events whose key occurs once in the batch. */
  readonly singles: string;
  readonly singleOrds: readonly number[];
  /** `writeEventRows` of the others, in the order given. */
  readonly repeated: string;
  readonly repeatedOrds: readonly number[];
}

/** @param count above every `ord`; more than there are rows if they are part of a larger batch */
export function toEventBatch(rows: readonly EventRow[], count: number): EventBatch {
  const occurrences = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    occurrences.set(key, (occurrences.get(key) ?? 0) + 1);
  }
  const singles: EventRow[] = [];
  const repeated: EventRow[] = [];
  for (const row of rows) (occurrences.get(keyOf(row)) === 1 ? singles : repeated).push(row);
  return {
    count,
    singles: writeEventRows(singles),
    singleOrds: singles.map((row) => row.ord),
    repeated: writeEventRows(repeated),
    repeatedOrds: repeated.map((row) => row.ord),
  };
}

/** What makes two events one transaction. An organisation id has a fixed length, so no two keys read alike. */
export function keyOf(row: Pick<EventRow, "organisation_id" | "external_id">): string {
  return `${row.organisation_id} ${row.external_id}`;
}
