import type { TransactionState } from "#domain";
import type { Sql } from "#postgres";
import { type TransactionRecord, transactionColumns } from "#publisher-db";

/**
 * An organisation's transactions whose `external_id` begins with `prefix`, in the order of that id. `after`
 * is the last id of the page before. The key has collation "C", so both conditions are ranges of its index.
 */
export async function listTransactionsWithPrefix(
  sql: Sql,
  organisationId: string,
  prefix: string,
  page: { readonly after?: string | undefined; readonly limit: number },
): Promise<TransactionRecord[]> {
  return sql<TransactionRecord[]>`
    select ${transactionColumns(sql)}
    from transactions t
    left join members m on m.id = t.member_id
    where t.organisation_id = ${organisationId} and t.external_id ^@ ${prefix}
      and t.external_id > ${page.after ?? ""}
    order by t.external_id
    limit ${page.limit}
  `;
}

export interface TransactionSummary {
  readonly state: TransactionState;
  readonly transactions: number;
  /** Sum in minor units over all currencies: a checksum, not an amount of money. */
  readonly amount: number;
}

/** Counts and sums what is stored under `external_id`s that begin with `prefix`. */
export async function summariseTransactions(
  sql: Sql,
  organisationId: string,
  prefix: string,
): Promise<TransactionSummary[]> {
  return sql<TransactionSummary[]>`
    select state, count(*) as transactions, coalesce(sum(amount), 0)::bigint as amount
    from transactions
    where organisation_id = ${organisationId} and external_id ^@ ${prefix}
    group by state
  `;
}
