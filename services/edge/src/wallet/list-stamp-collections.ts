import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { hasMember } from "./has-member.ts";
import { type StampCollection, stampCollectionColumns } from "./stamp-collection.ts";

/**
 * A member's enrolments, oldest first; undefined if the organisation has no such member. Those in programs that were
 * removed are among them: what was collected is not taken away.
 */
export async function listStampCollections(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<StampCollection> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<StampCollection[]>`
    select ${stampCollectionColumns(sql)} from stamp_collections
    where member_id = ${memberId} and organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
