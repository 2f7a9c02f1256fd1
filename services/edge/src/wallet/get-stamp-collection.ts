import type { Sql } from "#postgres";
import { type StampCollection, stampCollectionColumns } from "./stamp-collection.ts";

/** undefined: the organisation has no such stamp collection, or has deleted its member's memberbase. */
export async function getStampCollection(
  sql: Sql,
  organisationId: string,
  stampCollectionId: string,
): Promise<StampCollection | undefined> {
  const [stampCollection] = await sql<StampCollection[]>`
    select ${stampCollectionColumns(sql)}
    from stamp_collections
    join members on members.id = stamp_collections.member_id
    join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
    where stamp_collections.id = ${stampCollectionId} and stamp_collections.organisation_id = ${organisationId}`;
  return stampCollection;
}
