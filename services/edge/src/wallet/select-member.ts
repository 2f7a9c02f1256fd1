import type { Fragment, Sql } from "#postgres";

/** `select id …` of the organisation's member, of no row or one: none either when its memberbase is deleted. */
export function selectMember(sql: Sql, organisationId: string, memberId: string): Fragment {
  return sql`
    select members.id
    from members
    join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
    where members.id = ${memberId} and members.organisation_id = ${organisationId}`;
}
