import type { Fragment, Sql } from "#postgres";

/**
 * Sets `members.linked` for the `member_id` of a table `created`. A member that is marked already is not written again.
 */
export function markLinked(sql: Sql): Fragment {
  return sql`
    update members set linked = true from created where members.id = created.member_id and not members.linked`;
}
