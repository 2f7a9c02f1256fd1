import type { Sql } from "#postgres";
import { type Page, type PageRequest, toPage } from "#postgres";
import { type RewardedRow, type RewardedTransaction, rewardedColumns, toRewarded } from "#publisher-db";
import { hasMember } from "../wallet/has-member.ts";

/**
 * A member's transactions, newest first. Undefined if the organisation has no such member. `page.after` is the id of
 * the last one seen.
 */
export async function listTransactions(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<RewardedTransaction> | undefined> {
  const behind = page.after === undefined ? sql`` : sql`and t.id < ${page.after}`;
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<RewardedRow[]>`
    select ${rewardedColumns(sql)}
    from transactions t
    left join members m on m.id = t.member_id
    where t.member_id = ${memberId} and t.organisation_id = ${organisationId} ${behind}
    order by t.id desc
    limit ${page.limit + 1} offset ${page.skip ?? 0}
  `;
  return toPage(rows.map(toRewarded), page.limit);
}
