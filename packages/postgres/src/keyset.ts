import type { Fragment, Sql } from "./connect.ts";
import type { PageRequest } from "./page.ts";

/**
 * The end of a list's statement, from `and id > …` on. The ids are UUIDv7, so their order is that of
 * creation, and a walk over all pages meets every record that exists throughout exactly once, whatever others
 * insert and delete meanwhile.
 */
export function keyset(sql: Sql, page: PageRequest): Fragment {
  const behind = page.after === undefined ? sql`` : sql`and id > ${page.after}`;
  return sql`${behind} order by id limit ${page.limit + 1} offset ${page.skip ?? 0}`;
}
