import type { Transaction } from "#domain";
import { type Fragment, type Sql, utc } from "#postgres";
import type { EventRow } from "./event-row.ts";

/** A row of `transactions` as JSON: identifiers as `\x…`, timestamps as UTC texts to the microsecond. */
export type StoredColumns = Omit<EventRow, "ord" | "external_id">;

/** A JSON object of the row `t`. */
export function storedColumns(sql: Sql): Fragment {
  return sql`json_build_object(
    'id', t.id, 'organisation_id', t.organisation_id, 'member_id', t.member_id, 'state', t.state, 'network', t.network,
    'merchant_id', t.merchant_id, 'statement_descriptor', t.statement_descriptor, 'amount', t.amount,
    'currency', t.currency, 'authed_at', ${utc(sql, "t.authed_at")}, 'cleared_at', ${utc(sql, "t.cleared_at")},
    'reverted_at', ${utc(sql, "t.reverted_at")}, 'identifier_6', t.identifier_6, 'identifier_8', t.identifier_8
  )`;
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
