import type { RewardTransaction } from "#domain/rewards";
import type { Fragment, Sql, Store, Transaction } from "#postgres";
import { microsecondsSince1970 } from "#publisher-db";

export interface LoadedTransaction extends RewardTransaction {
  readonly memberId: string | null;
  /** Microseconds since 1970. */
  readonly authedAt: number;
}

/** The columns of a `LoadedTransaction`, of `transactions t`. */
export function loadedTransactionColumns(sql: Sql): Fragment {
  return sql`
    t.id, t.external_id as ref, t.state, t.settled_order as "settledOrder", t.amount, t.currency,
    t.member_id as "memberId", ${microsecondsSince1970(sql, "t.authed_at")} as "authedAt"`;
}

/** The three maps of `LoadedRewards` that are about transactions. */
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

/** A transaction as its member's index finds it. */
export interface MemberTransaction {
  readonly memberId: string;
  readonly transactionId: string;
}

/**
 * Ingest is writing transactions by which a collection is about to be judged. Waiting for them under the collection's lock,
 * where this is noticed, could deadlock: ingest may be waiting for another transaction that is locked here already.
 */
class TransactionsBeingWrittenError extends Error {
  readonly code = "transactions_being_written";
  readonly transactions: readonly MemberTransaction[];

  constructor(transactions: readonly MemberTransaction[]) {
    super(`${transactions.length} transactions are being written`);
    this.transactions = transactions;
  }
}

/** A transaction and where its row is found: by its key, or by its member's index. */
export interface OpenTransaction extends MemberTransaction {
  readonly organisationId: string;
  readonly ref: string;
}

/**
 * Locks transactions that were read as authorized, until the end of the database transaction, and returns them as they are
 * by now: some may have settled since. Afterwards none of them can settle under a lower number than one that was seen,
 * because the number is drawn under the same lock.
 * @throws TransactionsBeingWrittenError
 */
export async function lockOpenTransactions(
  sql: Transaction,
  open: readonly OpenTransaction[],
): Promise<RewardTransaction[]> {
  if (open.length === 0) return [];
  const wanted = new Map(open.map((transaction) => [transaction.transactionId, transaction]));
  const keys = [...wanted.values()];
  const rows = await sql<LoadedTransaction[]>`
    select ${loadedTransactionColumns(sql)}
    from transactions t
    where (t.organisation_id, t.external_id) in (
      select * from unnest(
        ${keys.map(({ organisationId }) => organisationId)}::uuid[], ${keys.map(({ ref }) => ref)}::text[]
      )
    )
    for share of t skip locked`;
  for (const { id } of rows) wanted.delete(id);
  if (wanted.size > 0) {
    throw new TransactionsBeingWrittenError(
      Array.from(wanted, ([transactionId, { memberId }]) => ({ transactionId, memberId })),
    );
  }
  return [...indexTransactions(rows).transactions.values()];
}

/** Each attempt first waits for what stopped those before it, and stamps are few: more attempts would mean a fault here. */
const ATTEMPTS_MAX = 20;

/**
 * Runs `work` in a database transaction. If it meets transactions that ingest is writing, it begins anew and is told which
 * ones: it then locks them first, in the order in which ingest locks them.
 */
export async function withOpenTransactions<T>(
  store: Store,
  work: (sql: Transaction, awaited: readonly MemberTransaction[]) => Promise<T>,
): Promise<T> {
  const awaited: MemberTransaction[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.begin((sql) => work(sql, awaited));
    } catch (error) {
      if (!(error instanceof TransactionsBeingWrittenError) || attempt === ATTEMPTS_MAX) throw error;
      awaited.push(...error.transactions);
    }
  }
}
