import type { Fragment, Sql } from "#postgres";

/** How long ago a timestamptz is, by the database's clock; 0 for null, and for one that is to come. */
export function ageSeconds(sql: Sql, time: Fragment): Fragment {
  return sql`coalesce(greatest(0, extract(epoch from now() - ${time})), 0)::float8`;
}
