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
  /** How many records the whole list has, whatever the page. */
  readonly total: number;
}

/** Lists read one row more than was asked for: whether it exists gives `more` without counting. */
export function toPage<T>(rows: readonly T[], limit: number): Page<T> {
  return { records: rows.slice(0, limit), more: rows.length > limit };
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
