import type { RewardTransaction } from "#domain";
import type { Fragment, Sql } from "../connect.ts";

export interface LoadedTransaction extends RewardTransaction {
  readonly memberId: string | null;
}

/** Of `transactions t`. */
export function loadedTransactionColumns(sql: Sql): Fragment {
  return sql`
    t.id, t.external_id as ref, t.state, t.settled_order as "settledOrder", t.amount, t.currency,
    t.member_id as "memberId"`;
}

/** By id, in the two parts of `LoadedRewards`. */
export function indexTransactions(rows: readonly LoadedTransaction[]) {
  const transactions = new Map<string, RewardTransaction>();
  const members = new Map<string, string | null>();
  for (const { id, ref, state, settledOrder, amount, currency, memberId } of rows) {
    transactions.set(id, { id, ref, state, settledOrder, amount, currency });
    members.set(id, memberId);
  }
  return { transactions, members };
}
