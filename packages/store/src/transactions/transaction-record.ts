import type { Network, TransactionState } from "#domain";
import type { Fragment, Sql } from "../connect.ts";

export interface TransactionRecord {
  readonly id: string;
  readonly externalId: string;
  /** Null once the member was deleted. */
  readonly memberId: string | null;
  readonly state: TransactionState;
  readonly network: Network;
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authedAt: Date;
  readonly clearedAt: Date | null;
  readonly revertedAt: Date | null;
  /** Lower-case hex, over six BIN digits first. */
  readonly identifiers: readonly string[];
}

/** Of `transactions t` left joined with `members m`. */
export function transactionColumns(sql: Sql): Fragment {
  return sql`
    t.id, t.external_id as "externalId", m.id as "memberId", t.state, t.network, t.merchant_id as "merchantId",
    t.statement_descriptor as "statementDescriptor", t.amount, t.currency, t.authed_at as "authedAt",
    t.cleared_at as "clearedAt", t.reverted_at as "revertedAt",
    array_remove(array[encode(t.identifier_6, 'hex'), encode(t.identifier_8, 'hex')], null) as identifiers`;
}
