import type { Fragment, Sql } from "#postgres";

/** An id below all ids that were made at that time (a timestamptz) or later. */
export function firstIdAt(sql: Sql, time: Fragment): Fragment {
  return sql`
    (lpad(to_hex(${milliseconds(sql, time)}), 12, '0') || '70008000000000000000')::uuid`;
}

/** Whole milliseconds since 1970. */
export function milliseconds(sql: Sql, time: Fragment): Fragment {
  return sql`floor(extract(epoch from ${time}) * 1000)::bigint`;
}
