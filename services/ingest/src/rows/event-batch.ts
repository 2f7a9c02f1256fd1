import { type EventRow, writeEventRows } from "#publisher-db";
import { encodeCopyRows } from "./copy-rows.ts";

/** Events as the statements take them. `ord`s are unique, and below `count`. */
export interface EventBatch {
  readonly count: number;
  /**
   * The first event of each key: text of `writeEventRows`, or, for large batches, bytes of `encodeCopyRows`, which cost the
   * database less and two round trips more.
   */
  readonly firsts: string | Uint8Array;
  readonly firstOrds: Uint32Array;
  /** `writeEventRows` of the others, in the order given. */
  readonly later: string;
  readonly laterOrds: Uint32Array;
  /** For each of them, the `ord` of the first event of its key. */
  readonly laterFirsts: Uint32Array;
}

/** From here on a batch is copied. Below, the round trips of staging weigh more than the reading. */
const COPY_ROWS_MIN = 100;

/** How events are handed over; text can be read back, to find the one that the database refuses. */
export type BatchForm = "fastest" | "readable";

/**
 * @param count above every `ord`; more than there are rows if they are part of a larger batch
 */
export function toEventBatch(rows: readonly EventRow[], count: number, form: BatchForm): EventBatch {
  const { firsts, later, laterFirsts } = splitByKey(rows);
  const isCopied = form === "fastest" && firsts.length >= COPY_ROWS_MIN;
  return {
    count,
    firsts: isCopied ? encodeCopyRows(firsts) : writeEventRows(firsts),
    firstOrds: Uint32Array.from(firsts, (row) => row.ord),
    later: writeEventRows(later),
    laterOrds: Uint32Array.from(later, (row) => row.ord),
    laterFirsts: Uint32Array.from(laterFirsts),
  };
}

function splitByKey(rows: readonly EventRow[]) {
  const firsts: EventRow[] = [];
  const later: EventRow[] = [];
  const laterFirsts: number[] = [];
  // A map for each organisation: keys made of both would have to be built for every event.
  const seen = new Map<string, Map<string, number>>();
  for (const row of rows) {
    let firstOf = seen.get(row.organisation_id);
    if (firstOf === undefined) {
      firstOf = new Map();
      seen.set(row.organisation_id, firstOf);
    }
    const first = firstOf.get(row.external_id);
    if (first === undefined) {
      firstOf.set(row.external_id, row.ord);
      firsts.push(row);
    } else {
      later.push(row);
      laterFirsts.push(first);
    }
  }
  return { firsts, later, laterFirsts };
}

/** What makes two events one transaction. An organisation id has a fixed length, so no two keys read alike. */
export function keyOf(row: Pick<EventRow, "organisation_id" | "external_id">): string {
  return `${row.organisation_id} ${row.external_id}`;
}
