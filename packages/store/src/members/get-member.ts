import type { Sql } from "../connect.ts";
import type { Member } from "./member.ts";

export type MemberKey = { readonly id: string } | { readonly memberbaseId: string; readonly ref: string };

/** undefined: the organisation has no such member, or has deleted its memberbase. */
export async function getMember(
  sql: Sql,
  organisationId: string,
  key: MemberKey,
): Promise<Member | undefined> {
  const matches =
    "id" in key
      ? sql`members.id = ${key.id}`
      : sql`members.memberbase_id = ${key.memberbaseId} and members.ref = ${key.ref}`;
  const [member] = await sql<Member[]>`
    select members.id, members.memberbase_id as "memberbaseId", members.ref, members.attributes,
           members.created_at as "createdAt", members.updated_at as "updatedAt"
    from members
    join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
    where ${matches} and members.organisation_id = ${organisationId}`;
  return member;
}
