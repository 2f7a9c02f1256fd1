import type { Fragment, Sql, Transaction } from "#postgres";

/** Some adjacent blocks of the table `transactions`: includes the first, excludes the last. */
export interface Blocks {
  readonly from: number;
  readonly to: number;
}

/** A transaction that was authorized before the time. */
export interface OldTransaction {
  readonly id: string;
  /** The place (ctid) of its row. */
  readonly tid: string;
  readonly authedAt: Date;
  /** Its state is final, and its last change was before the time. */
  readonly isSettled: boolean;
}

/**
 * All transactions in these blocks that were authorized before the time, settled or not. Takes no locks: each
 * round would lock, and so write, most of those that stay.
 * @param before a timestamptz as text
 */
export async function findOld(
  sql: Sql,
  { from, to }: Blocks,
  before: string,
): Promise<readonly OldTransaction[]> {
  return sql<OldTransaction[]>`
    select id, ctid::text as tid, authed_at as "authedAt",
           ${isFinal(sql)} and updated_at < ${before}::text::timestamptz as "isSettled"
    from transactions
    where ctid >= ${`(${from},0)`}::text::tid and ctid < ${`(${to},0)`}::text::tid
      and authed_at < ${before}::text::timestamptz`;
}

/** A settled transaction whose row this database transaction has locked. */
export type LockedTransaction = Pick<OldTransaction, "id" | "tid">;

/**
 * Locks settled transactions until the end of the database transaction. Leaves out those that another session
 * has locked or changed.
 */
export async function lockSettled(
  sql: Transaction,
  transactions: readonly LockedTransaction[],
  before: string,
): Promise<readonly LockedTransaction[]> {
  if (transactions.length === 0) return [];
  const tids = transactions.map(({ tid }) => tid);
  const wanted = new Set(transactions.map(({ id }) => id));
  const rows = await sql<LockedTransaction[]>`
    select id, ctid::text as tid from transactions
    where ctid = any(${tids}::text[]::tid[]) and ${isFinal(sql)}
      and authed_at < ${before}::text::timestamptz and updated_at < ${before}::text::timestamptz
    for update skip locked`;
  // The place may belong to another row by now.
  return rows.filter(({ id }) => wanted.has(id));
}

/**
 * Whether the state of a row of `transactions` is final. A purchase of a deleted member counts as final in
 * any state, because it can earn nothing more. The member's id may still be in the row (decision 46). `offset
 * 0` makes each a look-up, and never a scan of all members.
 */
function isFinal(sql: Sql): Fragment {
  return sql`(
    state <> 'authorized' or member_id is null
    or not exists (select from members where members.id = transactions.member_id offset 0)
  )`;
}

/** @throws Error if one of them does not exist, which its lock rules out */
export async function deleteLocked(
  sql: Transaction,
  transactions: readonly LockedTransaction[],
): Promise<void> {
  const tids = transactions.map(({ tid }) => tid);
  const rows = await sql`
    delete from transactions where ctid = any(${tids}::text[]::tid[]) returning 1`;
  if (rows.length !== tids.length) {
    throw new Error(`of ${tids.length} locked transactions ${rows.length} were there`);
  }
}
