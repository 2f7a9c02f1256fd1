import { LIMITS } from "#contract";
import type { Fragment, MeasuredRow, Page, PageRequest, Sql } from "#postgres";

/*
 * Lists with a condition that no index serves. Without a bound, one request could read ten million rows to
 * fill a page, if none of them meets the condition. So a page looks at a bounded number of rows, and its
 * cursor says how far it got. A page may be short, or empty, and still have a cursor.
 */

/** A list in the order of its rows' key. */
interface Scan {
  /**
   * Selects the rows to look at, from the beginning of the page: in the list's order, at most `rowsLookedAt`.
   * It must read them in this order from an index, so that nothing is read after the end of the page.
   */
  readonly rows: Fragment;
  /** The list's order, over the columns of `rows`. */
  readonly order: Fragment;
  /** Whether a row belongs to the list, over the columns of `rows`. */
  readonly condition: Fragment;
}

/** The columns that `scanned` adds to each row. */
export interface Scanned {
  readonly isFound: boolean;
  /** The place of this row among the rows looked at, from 1 … */
  readonly place: number;
  /** … and the number of rows up to it that belong to the list. */
  readonly foundUpTo: number;
}

/** The beginning of a page, and the part of the wanted `skip` that it still has to leave out. */
interface ScanPlace {
  readonly after: string | undefined;
  readonly skip: number;
}

/**
 * Reads the beginning of a page. Its `after` is a place that `toScannedPage` wrote: the key of the last row
 * looked at, and the number of records still to skip.
 */
export function scanPlace({ after, skip = 0 }: PageRequest): ScanPlace {
  if (after === undefined) return { after, skip };
  const end = after.indexOf(" ");
  return { after: after.slice(end + 1), skip: skip + Number(after.slice(0, end)) };
}

/**
 * Skipped records are looked at as well, so that a page without a condition is always full: as many as one request may skip.
 * A cursor that carries a skip, sent with another `skip`, would otherwise add to the rows of each page of a walk.
 */
export function rowsLookedAt(page: PageRequest): number {
  return LIMITS.rowsPerScan + Math.min(scanPlace(page).skip, LIMITS.pageSkipMax);
}

/** The scan as a table: its rows with the columns `Scanned`. It reads no further than its reader. */
export function scanned(sql: Sql, { rows, order, condition }: Scan): Fragment {
  return sql`(
    select judged.*, count(*) over up_to_here as place,
           count(*) filter (where "isFound") over up_to_here as "foundUpTo"
    from (select looked.*, (${condition}) as "isFound" from (${rows}) as looked) as judged
    window up_to_here as (order by ${order} rows unbounded preceding)
  )`;
}

/**
 * The condition of the statement that reads the table `t` of `scanned`. That statement must `order by` the
 * list's order and `limit` to one more than the page. The condition leaves the records of the page, and the
 * last row looked at.
 */
export function ofScannedPage(sql: Sql, page: PageRequest): Fragment {
  return sql`((t."isFound" and t."foundUpTo" > ${scanPlace(page).skip}) or t.place = ${rowsLookedAt(page)})`;
}

/**
 * `next` is present while the list may continue. `placeOf` gives the place to continue from, for a page that
 * ended with this record.
 */
export type ScannedPage<T> = Page<T> & { readonly next?: string; placeOf(record: T): string };

/**
 * The keys of a page, as a table in the list's order, with the columns `Scanned`. The rows of a page are
 * wide. They are looked up by their keys, so that a skipped record costs no more than a look into the index.
 * @param scan its `rows` are only the keys and the columns of the condition; without a condition skipped
 * records are only counted
 */
export function pageKeys(
  sql: Sql,
  { rows, order, condition }: Omit<Scan, "condition"> & { readonly condition: Fragment | undefined },
  page: PageRequest,
): Fragment {
  const { skip } = scanPlace(page);
  if (condition !== undefined) {
    return sql`(
      select t.* from ${scanned(sql, { rows, order, condition })} as t
      where ${ofScannedPage(sql, page)}
      order by ${order}
      limit ${page.limit + 1}
    )`;
  }
  // Never the last row that may be looked at: see `rowsLookedAt`.
  return sql`(
    select keys.*, true as "isFound", 0 as place, ${skip + 1}::int as "foundUpTo"
    from (${rows}) as keys
    order by ${order}
    limit ${page.limit + 1} offset ${skip}
  )`;
}

/**
 * The rows of that statement as a page. If `withinBytes` cut rows off, the remaining ones come before the
 * last row looked at, so they are all records.
 */
export function toScannedPage<Row extends Scanned & Partial<MeasuredRow>>(
  rows: readonly Row[],
  page: PageRequest,
  keyOf: (row: Row) => string,
): ScannedPage<Row> {
  const { skip } = scanPlace(page);
  const placeOf = (row: Row) => `0 ${keyOf(row)}`;
  const found = rows.filter((row) => row.isFound && row.foundUpTo > skip);
  const records = found.slice(0, page.limit);
  const last = rows.at(-1);
  const isCut = found.length > page.limit || (last?.pageRows ?? 0) > rows.length;
  const full = isCut ? records.at(-1) : undefined;
  if (full !== undefined) return { records, more: true, next: placeOf(full), placeOf };
  if (last?.place !== rowsLookedAt(page)) return { records, more: false, placeOf };
  const next = `${Math.max(0, skip - last.foundUpTo)} ${keyOf(last)}`;
  return { records, more: true, next, placeOf };
}
