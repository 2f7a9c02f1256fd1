import type { RewardTransaction } from "#domain/rewards";
import { type Fragment, microsecondsSince1970, type Sql, type Store, type Transaction } from "#postgres";
import { stampsOfPending, unredeemedStamps } from "./stamps.ts";

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

/** The three maps of `LoadedRewards` about transactions. */
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

export async function loadByKey(
  sql: Sql,
  found: ReadonlyArray<{
    readonly transactionId: string;
    readonly organisationId: string;
    readonly transactionRef: string;
  }>,
): Promise<LoadedTransaction[]> {
  const keys = [...new Map(found.map((row) => [row.transactionId, row])).values()];
  const organisationIds = keys.map(({ organisationId }) => organisationId);
  const refs = keys.map(({ transactionRef }) => transactionRef);
  return sql<LoadedTransaction[]>`
    select ${loadedTransactionColumns(sql)}
    from transactions t
    where (t.organisation_id, t.external_id) in (
      select * from unnest(${organisationIds}::uuid[], ${refs}::text[])
    )`;
}

/** The key of a transaction in its member's index. */
export interface MemberTransaction {
  readonly memberId: string;
  readonly transactionId: string;
}

/**
 * Ingest is writing transactions whose order must be judged. This is noticed under the collection's lock,
 * where a wait for them could deadlock: ingest may wait for another transaction that is locked here.
 */
class TransactionsBeingWrittenError extends Error {
  readonly code = "transactions_being_written";
  readonly transactions: readonly MemberTransaction[];

  constructor(transactions: readonly MemberTransaction[]) {
    super(`${transactions.length} transactions are being written`);
    this.transactions = transactions;
  }
}

/**
 * Locks the transactions of all stamps that may still change in these collections: unredeemed ones, and those that a pending redemption
 * holds. Until the end of the database transaction none of them can settle under a lower number than one that was seen, because the
 * number is drawn under the same lock.
 * @param settled the transactions that were read as settled
 * @returns whether others have settled by now, so that all must be read again
 * @throws TransactionsBeingWrittenError
 */
export async function lockOpenTransactions(
  sql: Transaction,
  collections: ReadonlyArray<{ readonly id: string; readonly unredeemedPurchases: number }>,
  settled: ReadonlySet<string>,
): Promise<boolean> {
  if (collections.length === 0) return false;
  const counters = collections.map(({ unredeemedPurchases }) => unredeemedPurchases);
  const rows = await sql<(MemberTransaction & { state: RewardTransaction["state"] | null })[]>`
    select q.transaction_id as "transactionId", c.member_id as "memberId", locked.state
    from unnest(${collections.map(({ id }) => id)}::uuid[], ${counters}::int[]) as collection (id, unredeemed)
    join stamp_collections c on c.id = collection.id
    cross join lateral (
      select organisation_id, transaction_ref, transaction_id from (${unredeemedStamps(sql)}) unredeemed
      union all
      select organisation_id, transaction_ref, transaction_id from qualifying_purchases
      where id = any(array(${stampsOfPending(sql)}))
    ) q
    left join lateral (
      select state from transactions t
      where t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref
      for share skip locked
    ) locked on true
    where locked.state is distinct from 'authorized'`;
  const others = rows.filter(({ transactionId }) => !settled.has(transactionId));
  const written = others.filter(({ state }) => state === null);
  if (written.length > 0) throw new TransactionsBeingWrittenError(written);
  return others.length > 0;
}

/** Each attempt first waits for the transactions that stopped the earlier ones, and stamps are few: more attempts would mean a fault here. */
const ATTEMPTS_MAX = 20;

/**
 * Runs `work` in a database transaction. If it meets transactions that ingest is writing, it starts again and gets their keys: it then
 * locks them first, in the order in which ingest locks them.
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
