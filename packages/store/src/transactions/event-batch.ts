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
  readonly singleOrds: Uint32Array;
  /** `writeEventRows` of the others, in the order given. */
  readonly repeated: string;
  readonly repeatedOrds: Uint32Array;
}

/** From here on a batch is copied. Below, the round trips of a transaction weigh more than the reading. */
const COPY_ROWS_MIN = 100;

/** How events are handed over; text can be read back, to find the one that the database refuses. */
export type BatchForm = "fastest" | "readable";

/**
 * @param count above every `ord`; more than there are rows if they are part of a larger batch
 */
export function toEventBatch(rows: readonly EventRow[], count: number, form: BatchForm): EventBatch {
  const isRepeated = findRepeated(rows);
  const singles = rows.filter((_, i) => !isRepeated[i]);
  const repeated = rows.filter((_, i) => isRepeated[i]);
  return {
    count,
    singles:
      form === "fastest" && singles.length >= COPY_ROWS_MIN
        ? encodeCopyRows(singles)
        : writeEventRows(singles),
    singleOrds: Uint32Array.from(singles, (row) => row.ord),
    repeated: writeEventRows(repeated),
    repeatedOrds: Uint32Array.from(repeated, (row) => row.ord),
  };
}

/** By place in `rows`, whether another one has the same key. */
function findRepeated(rows: readonly EventRow[]): boolean[] {
  const isRepeated = new Array<boolean>(rows.length).fill(false);
  // A map for each organisation: keys made of both would have to be built for every event.
  const firsts = new Map<string, Map<string, number>>();
  for (const [i, { organisation_id, external_id }] of rows.entries()) {
    let firstOf = firsts.get(organisation_id);
    if (firstOf === undefined) {
      firstOf = new Map();
      firsts.set(organisation_id, firstOf);
    }
    const first = firstOf.get(external_id);
    if (first === undefined) firstOf.set(external_id, i);
    else {
      isRepeated[first] = true;
      isRepeated[i] = true;
    }
  }
  return isRepeated;
}

/** What makes two events one transaction. An organisation id has a fixed length, so no two keys read alike. */
export function keyOf(row: Pick<EventRow, "organisation_id" | "external_id">): string {
  return `${row.organisation_id} ${row.external_id}`;
}
