import type { Sql } from "../connect.ts";
import { type TransactionRecord, transactionColumns } from "./transaction-record.ts";

/** One transaction of an organisation by the integrator's own id for it. */
export async function getTransaction(
  sql: Sql,
  organisationId: string,
  externalId: string,
): Promise<TransactionRecord | undefined> {
  const [row] = await sql<TransactionRecord[]>`
    select ${transactionColumns(sql)}
    from transactions t
    left join members m on m.id = t.member_id
    where t.organisation_id = ${organisationId} and t.external_id = ${externalId}
  `;
  return row;
}
