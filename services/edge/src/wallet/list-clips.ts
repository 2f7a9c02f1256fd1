import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { type Clip, clipColumns } from "./clip.ts";
import { hasMember } from "./has-member.ts";

/** A member's clips, open and redeemed, oldest first; undefined if the organisation has no such member. */
export async function listClips(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<Clip> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<Clip[]>`
    select ${clipColumns(sql)} from clips
    where member_id = ${memberId} and organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
