import type { Fragment, Sql, Transaction } from "#postgres";

/** Some neighbouring blocks of the table `transactions`: from the first, included, to the last, excluded. */
export interface Blocks {
  readonly from: number;
  readonly to: number;
}

/** A transaction that was authorized before the time. */
export interface OldTransaction {
  readonly id: string;
  /** Where its row is. */
  readonly tid: string;
  readonly authedAt: Date;
  /** Its state is final, and it was not changed since before the time. */
  readonly isSettled: boolean;
}

/**
 * All in these blocks that were authorized before the time, settled or not. No lock: most of those that stay would be locked,
 * and so written, in each round.
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
 * Locks settled transactions until the end of the database transaction; those that another session has
 * locked, or changed, are left out.
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
  // A place may be another row's by now.
  return rows.filter(({ id }) => wanted.has(id));
}

/**
 * Whether the state of a row of `transactions` is final. That of a purchase whose member was deleted counts
 * as final in any state, since it can earn nothing more. Its id may still stand in the row (decision 46).
 * `offset 0`: a look-up each, never a table of all members.
 */
function isFinal(sql: Sql): Fragment {
  return sql`(
    state <> 'authorized' or member_id is null
    or not exists (select from members where members.id = transactions.member_id offset 0)
  )`;
}

/** @throws Error if one of them is not there, which its lock rules out */
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
