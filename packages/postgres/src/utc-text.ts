import type { Fragment, Sql } from "./store.ts";

/**
 * A timestamp column as text, because a JavaScript Date would lose the microseconds of a value that is
 * written back.
 */
export function utc(sql: Sql, column: string): Fragment {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
