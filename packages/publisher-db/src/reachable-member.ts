import type { Fragment, Sql } from "#postgres";

/**
 * Whether the memberbase of a member `m` is not deleted: its members are out of reach from that moment, and are removed
 * afterwards. The list of such memberbases is looked up once a statement and is nearly always empty, so that ingest can
 * ask for every event.
 */
export function reachableMember(sql: Sql): Fragment {
  return sql`m.memberbase_id not in (
    select id from memberbases where deleted_at is not null and member_count > 0
  )`;
}
