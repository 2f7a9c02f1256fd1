import type { Sql } from "#postgres";
import { type Memberbase, memberbaseColumns } from "./memberbase.ts";

/** Names need not differ. */
export async function createMemberbase(
  sql: Sql,
  memberbase: { readonly id: string; readonly organisationId: string; readonly name: string },
): Promise<Memberbase> {
  const [created] = await sql<[Memberbase]>`
    insert into memberbases (id, organisation_id, name)
    values (${memberbase.id}, ${memberbase.organisationId}, ${memberbase.name})
    returning ${memberbaseColumns(sql)}`;
  return created;
}
