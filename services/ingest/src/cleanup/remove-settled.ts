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

/** The tables that retention removes rows of. */
export const RETENTION_TABLES = ["transactions", "qualifying_purchases", "redemptions", "cashbacks"] as const;

/** The result of one step. */
export interface Removed {
  /** Rows that left. */
  readonly rows: Readonly<Record<(typeof RETENTION_TABLES)[number], number>>;
  /** Transactions as old as those that left, and that stay. */
  readonly kept: number;
  /** When the oldest of these was authorized. */
  readonly oldestAt: Date | null;
}

const NOTHING = { transactions: 0, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 } as const;

/**
 * Removes the transactions in some blocks that are settled and at rest since before a time, and what hangs on them (contract,
 * section 12; decision 38): one small database transaction, to be called in one that does nothing else but move the place.
 *
 * A transaction is settled when its state is final (`findOld`), and at rest when nothing that it has earned can change any more
 * (`findAtRest`). It leaves when that has been so since before the time, with its authorization and its last change; and what
 * it has earned leaves with it or, if it was earned by several, with the last of them (`deleteEarned`). So whatever is seen is
 * complete in itself; a stamp or a cashback may name a transaction that is gone.
 *
 * Locks: it never waits for a session that could wait for it. Transactions and collections that another
 * session has locked are left to the next round. A session that waits for rows locked here finds them gone.
 * An outcome that is about one of them waits, and is of an unknown transaction then; so stamps and cashbacks
 * are looked at again when the transactions are locked.
 * @param before a timestamptz as text; nothing that was authorized at it or later is touched
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
  // Again, now that no session can give them anything: a statement after the locks sees what came before
  // them.
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
