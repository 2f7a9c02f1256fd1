import type { Sql } from "../connect.ts";

/** Whether the organisation has this member, in a memberbase that is not deleted. */
export async function hasMember(sql: Sql, organisationId: string, memberId: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from members
    join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
    where members.id = ${memberId} and members.organisation_id = ${organisationId}`;
  return rows.length > 0;
}
