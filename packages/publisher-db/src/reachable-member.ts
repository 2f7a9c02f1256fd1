import type { Fragment, Sql } from "#postgres";

/**
 * Whether the memberbase of a member `m` is not deleted. Once it is, its members cannot be reached any more,
 * and are removed afterwards. The list of such memberbases is looked up once in a statement and is nearly
 * always empty, so ingest can ask for every event.
 */
export function reachableMember(sql: Sql): Fragment {
  return sql`m.memberbase_id not in (
    select id from memberbases where deleted_at is not null and member_count > 0
  )`;
}
