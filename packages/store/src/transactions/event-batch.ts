import { encodeCopyRows } from "./copy-rows.ts";
import { type EventRow, writeEventRows } from "./event-row.ts";

/** Events as the bulk statements take them. `ord`s are unique, and below `count`. */
export interface EventBatch {
  readonly count: number;
  /**
   * Events whose key occurs once in the batch: text of `writeEventRows`, or, for large batches, bytes of
   * `encodeCopyRows`, which cost the database less and two round trips more.
   */
  readonly singles: string | Uint8Array;
  readonly singleOrds: readonly number[];
  /** `writeEventRows` of the others, in the order given. */
  readonly repeated: string;
  readonly repeatedOrds: readonly number[];
}

/** From here on a batch is copied. Below, the round trips of a transaction weigh more than the reading. */
const COPY_ROWS_MIN = 100;

/** How events are handed over; text can be read back, to find the one that the database refuses. */
export type BatchForm = "fastest" | "readable";

/**
 * @param count above every `ord`; more than there are rows if they are part of a larger batch
 */
export function toEventBatch(rows: readonly EventRow[], count: number, form: BatchForm): EventBatch {
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
    singles:
      form === "fastest" && singles.length >= COPY_ROWS_MIN
        ? encodeCopyRows(singles)
        : writeEventRows(singles),
    singleOrds: singles.map((row) => row.ord),
    repeated: writeEventRows(repeated),
    repeatedOrds: repeated.map((row) => row.ord),
  };
}

/** What makes two events one transaction. An organisation id has a fixed length, so no two keys read alike. */
export function keyOf(row: Pick<EventRow, "organisation_id" | "external_id">): string {
  return `${row.organisation_id} ${row.external_id}`;
}
