import { LIMITS } from "#contract";
import { uuidTime } from "#domain";
import type { Fragment, Sql } from "./connect.ts";

/** A part of a list ordered by id: up to `limit` records after `after`, without the first `skip`. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly skip?: number | undefined;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Whether there are records after the last one. */
  readonly more: boolean;
}

export interface CountedPage<T> extends Page<T> {
  /** The number of records on all pages. */
  readonly total: number;
}

/** Lists read one row more than was asked for: whether it exists gives `more` without counting. */
export function toPage<T>(rows: readonly T[], limit: number): Page<T> {
  return { records: rows.slice(0, limit), more: rows.length > limit };
}

/** The statement of a page whose records may be long. */
interface LongRows {
  /** A select with the page's `limit`, in its order. */
  readonly rows: Fragment;
  /** That order, over the columns of `rows`. */
  readonly order: Fragment;
  /** The columns that may be long. */
  readonly long: readonly Fragment[];
}

/**
 * Bounds a page in bytes, so that a thousand long records are not read to give the first few. The last row is
 * the one that reaches the bound: the first is always there, however long.
 *
 * Rows are left out by the stored size of their long columns, which is known without reading them. Only the
 * texts of the others are measured, because stored texts may be compressed. The page's order is that of
 * `rows`, so no sort is needed.
 */
export function withinBytes(sql: Sql, { rows, order, long }: LongRows): Fragment {
  const sumOf = (sizes: readonly Fragment[]) => sizes.reduce((all, one) => sql`${all} + ${one}`);
  const stored = sumOf(long.map((column) => sql`coalesce(pg_column_size(${column}), 0)`));
  const text = sumOf(long.map((column) => sql`coalesce(octet_length(${column}::text), 0)`));
  const before = sql`(order by ${order} rows between unbounded preceding and 1 preceding)`;
  return sql`
    select * from (
      select *, coalesce(sum(${text}) over ${before}, 0) as "textBefore"
      from (
        select *, count(*) over () as "pageRows", coalesce(sum(${stored}) over ${before}, 0) as "storedBefore"
        from (${rows}) as page
      ) as small_as_stored
      where "storedBefore" < ${LIMITS.pageBytes}
    ) as small_as_text
    where "textBefore" < ${LIMITS.pageBytes}
    order by ${order}`;
}

/** The columns that `withinBytes` adds to each row. */
export interface MeasuredRow {
  /** The number of rows without the bound. */
  readonly pageRows: number;
  readonly storedBefore: number;
  readonly textBefore: string;
}

/** The rows of a statement `withinBytes` as a page. */
export function toMeasuredPage<T>(rows: readonly (T & MeasuredRow)[], limit: number): Page<T> {
  const records = rows.slice(0, limit).map(withoutMeasures<T>);
  return { records, more: (rows[0]?.pageRows ?? 0) > records.length };
}

function withoutMeasures<T>(row: T & MeasuredRow): T {
  const { pageRows: _rows, storedBefore: _stored, textBefore: _text, ...record } = row;
  return record as T;
}

/**
 * The end of a list's statement, from `and id > …` on. The ids are UUIDv7, so their order is that of
 * creation, and a walk over all pages meets every record that exists throughout exactly once, whatever others
 * insert and delete meanwhile.
 */
export function keyset(sql: Sql, page: PageRequest): Fragment {
  const behind = page.after === undefined ? sql`` : sql`and id > ${page.after}`;
  return sql`${behind} order by id limit ${page.limit + 1} offset ${page.skip ?? 0}`;
}

/**
 * Like `keyset`, for rows that are wide or many: skipped rows are counted in an index alone, and the page
 * begins at the first one after them.
 * @param keys `<table> where <condition>` that an index with `id` answers
 */
export function placedKeyset(sql: Sql, keys: Fragment, { skip = 0, ...page }: PageRequest): Fragment {
  if (skip === 0) return keyset(sql, page);
  const behind = page.after === undefined ? sql`` : sql`and id > ${page.after}`;
  const first = sql`select id from ${keys} ${behind} order by id limit 1 offset ${skip}`;
  return sql`and id >= (${first}) ${keyset(sql, { limit: page.limit })}`;
}

/**
 * Like `placedKeyset`, for records whose ids are computed from facts: ids have the order of purchases, and
 * lists that of creation. If the last record of a page is gone, the time of its id counts, which is not
 * later: then some records come twice.
 * @param keys `<table> where <condition>` that an index with `created_at, id` answers
 */
export function createdKeyset(
  sql: Sql,
  { table, keys }: { readonly table: Fragment; readonly keys: Fragment },
  { after, limit, skip = 0 }: PageRequest,
): Fragment {
  const behind = behindCreated(sql, table, after);
  const order = sql`order by created_at, id`;
  if (skip === 0) return sql`${behind} ${order} limit ${limit + 1}`;
  const first = sql`select created_at, id from ${keys} ${behind} ${order} limit 1 offset ${skip}`;
  return sql`and (created_at, id) >= (${first}) ${order} limit ${limit + 1}`;
}

/** `and …` of the records that were created after this one; nothing without one. */
export function behindCreated(sql: Sql, table: Fragment, after: string | undefined): Fragment {
  if (after === undefined) return sql``;
  return sql`
    and (created_at, id) > (
      coalesce((select one.created_at from ${table} one where one.id = ${after}), ${new Date(uuidTime(after))}::timestamptz), ${after}::uuid
    )`;
}
