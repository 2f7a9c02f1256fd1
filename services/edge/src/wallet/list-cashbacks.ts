import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { type Cashback, type CashbackJson, toCashback } from "#publisher-db";
import { hasMember } from "./has-member.ts";

/** A member's cashbacks, oldest first; undefined if the organisation has no such member. */
export async function listCashbacks(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<Cashback> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<{ cashback: CashbackJson }[]>`
    select to_json(cashbacks) as cashback from cashbacks
    where member_id = ${memberId} and organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(
    rows.map(({ cashback }) => toCashback(cashback)),
    page.limit,
  );
}
