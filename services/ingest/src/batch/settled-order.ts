import { lockForTransaction, type Sql } from "#postgres";

/** So many numbers would have to be drawn while one statement reads the sequence and sets it. Of the clock they are 10 ms. */
const SPARE = 10_000;

/**
 * Sees to it that numbers which are drawn from now on are above this one. Numbers of the log are times, and a drawn one stands for a
 * later settling than all that are read again. By the clock of NATS, never ahead of it by more than `SPARE`: after another restore,
 * what is drawn now has to be below the times of what comes later.
 *
 * The sequence must not go back, and `setval` asks nobody. Races thought of: two who raise it at once take turns by a lock. Who
 * draws does not know the lock: what is drawn between the reading and the setting of one statement is passed over by `SPARE`. What
 * a transaction raises stays raised when it fails, which only leaves numbers out.
 * @param sql a transaction
 */
export async function raiseSettledOrder(sql: Sql, above: number): Promise<void> {
  const [{ isLow }] = await sql<[{ isLow: boolean }]>`
    select last_value < ${above}::bigint as "isLow" from transactions_settled_order`;
  if (!isLow) return;
  await lockForTransaction(sql, "settledOrder");
  await sql`
    select setval('transactions_settled_order', greatest(${above}::bigint, last_value + ${SPARE}::bigint))
    from transactions_settled_order
    where last_value < ${above}::bigint`;
}
