import type { Sql } from "#postgres";
import { selectMember } from "./select-member.ts";

/** Whether the organisation has this member, in a memberbase that is not deleted. */
export async function hasMember(sql: Sql, organisationId: string, memberId: string): Promise<boolean> {
  const rows = await sql`${selectMember(sql, organisationId, memberId)}`;
  return rows.length > 0;
}
