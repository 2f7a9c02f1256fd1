import type { TransactionState } from "#domain";
import type { Sql } from "#postgres";

export interface TransactionSummary {
  readonly state: TransactionState;
  readonly transactions: number;
  /** Sum in minor units, whatever the currencies: a checksum, not an amount of money. */
  readonly amount: number;
}

/** What is stored under `external_id`s that begin with `prefix`, added up by the database. */
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
