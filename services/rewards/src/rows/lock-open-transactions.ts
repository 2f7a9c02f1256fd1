import type { RewardTransaction } from "#domain/rewards";
import type { Store, Transaction } from "#postgres";
import { indexTransactions, type LoadedTransaction, loadedTransactionColumns } from "./loaded-rewards.ts";
import type { LockedCollection, StampRow } from "./locked-collections.ts";

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

/**
 * Locks the transactions of these collections' stamps that are still authorized, until the end of the database transaction,
 * and returns them as they are by now: some may have settled since the stamps were read. Afterwards none of them can settle
 * under a lower number than one that was seen, because the number is drawn under the same lock.
 * @throws TransactionsBeingWrittenError
 */
export async function lockOpenTransactions(
  sql: Transaction,
  collections: readonly LockedCollection[],
  stamps: readonly StampRow[],
): Promise<RewardTransaction[]> {
  const collectionOf = new Map(collections.map((collection) => [collection.id, collection]));
  const wanted = new Map<string, { organisationId: string; memberId: string; ref: string }>();
  for (const { transactionId, ref, stampCollectionId, state } of stamps) {
    const collection = collectionOf.get(stampCollectionId);
    if (collection === undefined || state !== "authorized") continue;
    const { organisationId, memberId } = collection;
    wanted.set(transactionId, { organisationId, memberId, ref });
  }
  if (wanted.size === 0) return [];
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
