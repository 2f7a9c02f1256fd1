import type { RewardTransaction } from "#domain";
import type { Fragment, Sql } from "#postgres";
import { microsecondsSince1970 } from "#publisher-db";

export interface LoadedTransaction extends RewardTransaction {
  readonly memberId: string | null;
  /** Microseconds since 1970. */
  readonly authedAt: number;
}

/** Of `transactions t`. */
export function loadedTransactionColumns(sql: Sql): Fragment {
  return sql`
    t.id, t.external_id as ref, t.state, t.settled_order as "settledOrder", t.amount, t.currency,
    t.member_id as "memberId", ${microsecondsSince1970(sql, "t.authed_at")} as "authedAt"`;
}

/** By id, in the three parts of `LoadedRewards`. */
export function indexTransactions(rows: readonly LoadedTransaction[]) {
  const transactions = new Map<string, RewardTransaction>();
  const members = new Map<string, string | null>();
  const authedAt = new Map<string, number>();
  for (const { id, ref, state, settledOrder, amount, currency, memberId, authedAt: at } of rows) {
    transactions.set(id, { id, ref, state, settledOrder, amount, currency });
    members.set(id, memberId);
    authedAt.set(id, at);
  }
  return { transactions, members, authedAt };
}
