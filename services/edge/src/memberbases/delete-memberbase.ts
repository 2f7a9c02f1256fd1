import type { Sql } from "#postgres";
import { type Memberbase, memberbaseColumns } from "./memberbase.ts";

/**
 * Deletes a memberbase for good; repeated, it gives the same record. Undefined if the organisation has none such. Its
 * members are out of reach at once (`reachable-member.ts`) and are removed afterwards, in the background.
 */
export async function deleteMemberbase(
  sql: Sql,
  organisationId: string,
  memberbaseId: string,
): Promise<Memberbase | undefined> {
  const [memberbase] = await sql<Memberbase[]>`
    update memberbases
    set deleted_at = coalesce(deleted_at, now()),
        updated_at = case when deleted_at is null then now() else updated_at end
    where id = ${memberbaseId} and organisation_id = ${organisationId}
    returning ${memberbaseColumns(sql)}`;
  return memberbase;
}
