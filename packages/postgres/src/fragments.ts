import type { Fragment, Sql } from "./store.ts";

/**
 * A piece of a statement that the code itself made, such as a list of columns. It must not hold anything from
 * outside, because it is sent as it is.
 */
export function constantText(text: string): (sql: Sql) => Fragment {
  const strings: TemplateStringsArray = Object.assign([text], { raw: [text] });
  return (sql) => sql(strings);
}

/** A timestamp as text: a JavaScript Date would lose the microseconds of a value that is written back. */
export function utc(sql: Sql, column: string): Fragment {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
