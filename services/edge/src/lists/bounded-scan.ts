import { LIMITS } from "#contract";
import type { Fragment, MeasuredRow, Page, PageRequest, Sql } from "#postgres";

/*
 * Lists with a condition that no index serves. Without a bound, a page would be searched for until it is full: a
 * condition that nothing of ten million rows meets would read them all in one request. So a page looks at a bounded
 * number of rows, and its cursor says how far that was. It may be short, or empty, and still have a cursor.
 */

/** A list in the order of its rows' key. */
interface Scan {
  /**
   * Selects the rows to look at, behind where the page begins: in the list's order, at most `rowsLookedAt`. It has
   * to read them in this order from an index, because then nothing is read behind the end of the page.
   */
  readonly rows: Fragment;
  /** The list's order, over the columns of `rows`. */
  readonly order: Fragment;
  /** Whether a row is of the list, over the columns of `rows`. */
  readonly condition: Fragment;
}

/** What `scanned` adds to each row. */
interface Scanned {
  readonly isFound: boolean;
  /** Which of the rows that were looked at this is, from 1 … */
  readonly place: number;
  /** … and how many of those up to it are of the list. */
  readonly foundUpTo: number;
}

/** Where a page begins, and what of the wanted `skip` it still has to leave out. */
interface ScanPlace {
  readonly after: string | undefined;
  readonly skip: number;
}

/**
 * Reads where a page begins. Its `after` is a place as `toScannedPage` writes it: the key of the last row that was
 * looked at, and how many records the walk has still to leave out.
 */
export function scanPlace({ after, skip = 0 }: PageRequest): ScanPlace {
  if (after === undefined) return { after, skip };
  const end = after.indexOf(" ");
  return { after: after.slice(end + 1), skip: skip + Number(after.slice(0, end)) };
}

/** What is to be left out is looked at as well; so a page without a condition is always whole. */
export function rowsLookedAt(page: PageRequest): number {
  return LIMITS.rowsPerScan + scanPlace(page).skip;
}

/** The scan as a table: its rows with the columns `Scanned`. It is read no further than its reader reads. */
export function scanned(sql: Sql, { rows, order, condition }: Scan): Fragment {
  return sql`(
    select judged.*, count(*) over up_to_here as place,
           count(*) filter (where "isFound") over up_to_here as "foundUpTo"
    from (select looked.*, (${condition}) as "isFound" from (${rows}) as looked) as judged
    window up_to_here as (order by ${order} rows unbounded preceding)
  )`;
}

/**
 * The condition of the statement that reads the table `t` of `scanned`, which must be `order by` the list's order and
 * `limit` one more than the page has. It leaves the records of the page, and the last row that was looked at.
 */
export function ofScannedPage(sql: Sql, page: PageRequest): Fragment {
  return sql`((t."isFound" and t."foundUpTo" > ${scanPlace(page).skip}) or t.place = ${rowsLookedAt(page)})`;
}

/** `next` is there while the list may go on. `placeOf` says where a page goes on that ended with this record. */
export type ScannedPage<T> = Page<T> & { readonly next?: string; placeOf(record: T): string };

/**
 * The keys of a page, as a table in the list's order, with the columns `Scanned`. The rows of a page are wide: they are looked up
 * by their keys, so that what is left out costs no more than a look into the index.
 * @param scan its `rows` are keys alone, and what the condition needs; without a condition what is left out is only counted
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
  // Never the last one that may be looked at: see `rowsLookedAt`.
  return sql`(
    select keys.*, true as "isFound", 0 as place, ${skip + 1}::int as "foundUpTo"
    from (${rows}) as keys
    order by ${order}
    limit ${page.limit + 1} offset ${skip}
  )`;
}

/**
 * The rows of that statement as a page. If it was bounded by `withinBytes` and rows were left out, those that are here come
 * before the last one that was looked at, so they are records.
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
