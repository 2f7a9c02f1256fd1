import { lockForTransaction, type Sql } from "#postgres";

/**
 * The sequence would go back only if this many numbers were drawn while one statement reads it and sets it.
 * Measured in time they are 10 ms.
 */
const SPARE = 10_000;

/**
 * Raises the sequence above this number, for all numbers drawn from now on. Numbers of replayed messages are
 * times, and a drawn number must stand for a later settling than all of those. The sequence follows the clock
 * of NATS and is never ahead of it by more than `SPARE`: after another restore, numbers drawn now have to be
 * below the times of later messages.
 *
 * The sequence must not go back, and `setval` would set it back. Races considered: two sessions that raise it
 * take turns by a lock. A session that draws does not take the lock: `SPARE` leaves room for numbers drawn
 * between the reading and the setting of one statement. If the transaction fails, the sequence stays raised,
 * which only leaves a gap.
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
