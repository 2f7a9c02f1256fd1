import type { Transaction, TransactionState } from "#domain";
import type { Fragment, Sql } from "../connect.ts";

/** A row of `transactions` as JSON: identifiers as `\x…`, timestamps as UTC texts to the microsecond. */
export interface StoredColumns {
  readonly id: string;
  readonly member_id: string | null;
  readonly state: TransactionState;
  readonly network: string;
  readonly merchant_id: string;
  readonly statement_descriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authed_at: string;
  readonly cleared_at: string | null;
  readonly reverted_at: string | null;
  readonly identifier_6: string;
  readonly identifier_8: string | null;
  readonly written_by: number;
  /** The row has not been changed since it was made. */
  readonly as_created: boolean;
}

/** A JSON object of the row `t`. */
export function storedColumns(sql: Sql): Fragment {
  return sql`json_build_object(
    'id', t.id, 'member_id', t.member_id, 'state', t.state, 'network', t.network,
    'merchant_id', t.merchant_id, 'statement_descriptor', t.statement_descriptor, 'amount', t.amount,
    'currency', t.currency, 'authed_at', ${utc(sql, "t.authed_at")}, 'cleared_at', ${utc(sql, "t.cleared_at")},
    'reverted_at', ${utc(sql, "t.reverted_at")}, 'identifier_6', t.identifier_6, 'identifier_8', t.identifier_8,
    'written_by', t.written_by, 'as_created', t.created_at = t.updated_at
  )`;
}

/** As text, because a JavaScript Date would lose the microseconds of a value that is written back. */
export function utc(sql: Sql, column: string): Fragment {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

export function toTransaction(row: StoredColumns): Transaction {
  return {
    memberId: row.member_id,
    state: row.state,
    network: row.network,
    merchantId: row.merchant_id,
    statementDescriptor: row.statement_descriptor,
    amount: row.amount,
    currency: row.currency,
    authedAt: row.authed_at,
    clearedAt: row.cleared_at,
    revertedAt: row.reverted_at,
    identifier6: row.identifier_6,
    identifier8: row.identifier_8,
  };
}
