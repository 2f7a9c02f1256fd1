import type { Sql } from "../connect.ts";
import { type Page, type PageRequest, toPage } from "../page.ts";
import { type TransactionRecord, transactionColumns } from "./transaction-record.ts";

/**
 * A member's transactions, newest first. Undefined if the organisation has no such member. `page.after` is the id of
 * the last one seen.
 */
export async function listTransactions(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<TransactionRecord> | undefined> {
  const behind = page.after === undefined ? sql`` : sql`and t.id < ${page.after}`;
  const [member] =
    await sql`select 1 from members where id = ${memberId} and organisation_id = ${organisationId}`;
  if (member === undefined) return undefined;
  const rows = await sql<TransactionRecord[]>`
    select ${transactionColumns(sql)}
    from transactions t
    left join members m on m.id = t.member_id
    where t.member_id = ${memberId} and t.organisation_id = ${organisationId} ${behind}
    order by t.id desc
    limit ${page.limit + 1} offset ${page.skip ?? 0}
  `;
  return toPage(rows, page.limit);
}
