import type { Transaction } from "#postgres";
import { findAtRest } from "./at-rest.ts";
import { deleteEarned, lockCollections } from "./delete-earned.ts";
import {
  type Blocks,
  deleteLocked,
  findOld,
  lockSettled,
  type OldTransaction,
} from "./settled-transactions.ts";

/** The tables from which retention removes rows. */
export const RETENTION_TABLES = ["transactions", "qualifying_purchases", "redemptions", "cashbacks"] as const;

/** The result of one step. */
export interface Removed {
  /** The number of rows removed. */
  readonly rows: Readonly<Record<(typeof RETENTION_TABLES)[number], number>>;
  /** The number of transactions as old as the removed ones that stay. */
  readonly kept: number;
  /** When the oldest of the kept ones was authorized. */
  readonly oldestAt: Date | null;
}

const NOTHING = { transactions: 0, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 } as const;

/**
 * Removes transactions in some blocks that have been settled and at rest since before a time, with everything
 * that belongs to them (contract, section 12; decision 38). It is one small database transaction; call it in
 * one that otherwise only moves the place.
 *
 * A transaction is settled when its state is final (`findOld`), and at rest when none of its earnings can
 * change any more (`findAtRest`). It is removed when this has been so since before the time, and its
 * authorization and its last change were before the time, too. Its earnings are removed with it or, if
 * several transactions earned them, with the last of those (`deleteEarned`). So every row that a reader sees
 * is complete; only a stamp or a cashback may name a transaction that is gone.
 *
 * Locks: it never waits for a session that could wait for it. It leaves transactions and collections that
 * another session has locked to the next round. A session that waits for rows locked here finds them gone. An
 * outcome for one of them waits, and then finds an unknown transaction; therefore this looks at stamps and
 * cashbacks again once the transactions are locked.
 * @param before a timestamptz as text; leaves everything authorized at that time or later
 */
export async function removeSettled(sql: Transaction, blocks: Blocks, before: string): Promise<Removed> {
  const old = await findOld(sql, blocks, before);
  const gone = await removeAtRest(sql, old, before);
  const stay = old.filter(({ id }) => !gone.ids.has(id));
  const oldest = stay.reduce<Date | null>(
    (first, { authedAt }) => (first === null || authedAt < first ? authedAt : first),
    null,
  );
  return { rows: gone.rows, kept: stay.length, oldestAt: oldest };
}

async function removeAtRest(
  sql: Transaction,
  old: readonly OldTransaction[],
  before: string,
): Promise<{ readonly ids: ReadonlySet<string>; readonly rows: Removed["rows"] }> {
  const settled = old.filter(({ isSettled }) => isSettled);
  const seen = await findAtRest(sql, settled, before);
  // Checked again, now that no session can add earnings: a statement after the locks sees everything
  // committed before them.
  const locked = await lockSettled(sql, seen.atRest, before);
  const { atRest, stamps } = await findAtRest(sql, locked, before);
  const held = await lockCollections(sql, stamps);
  const busy = new Set(stamps.flatMap((one) => (held.has(one.collectionId) ? [] : one.transactionId)));
  const leaving = atRest.filter(({ id }) => !busy.has(id));
  if (leaving.length === 0) return { ids: new Set(), rows: NOTHING };
  const ids = new Set(leaving.map(({ id }) => id));
  const own = stamps.filter(({ transactionId }) => ids.has(transactionId));
  await deleteLocked(sql, leaving);
  return { ids, rows: { transactions: leaving.length, ...(await deleteEarned(sql, [...ids], own)) } };
}
