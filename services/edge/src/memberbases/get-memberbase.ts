import type { Sql } from "#postgres";
import { type Memberbase, memberbaseColumns } from "./memberbase.ts";

/** undefined: the organisation has no such memberbase, or has deleted it. */
export async function getMemberbase(
  sql: Sql,
  organisationId: string,
  memberbaseId: string,
): Promise<Memberbase | undefined> {
  const [memberbase] = await sql<Memberbase[]>`
    select ${memberbaseColumns(sql)}
    from memberbases
    where id = ${memberbaseId} and organisation_id = ${organisationId} and deleted_at is null`;
  return memberbase;
}
