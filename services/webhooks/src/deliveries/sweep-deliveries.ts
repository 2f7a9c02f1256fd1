import type { Sql } from "#postgres";
import { firstIdAt } from "#publisher-db";

const ROWS_PER_STEP = 1000;

/**
 * Deletes deliveries that were made more than `keptMs` ago, by the clock of the database, and are delivered or failed, or
 * whose webhook is gone; at most a thousand, and says how many. Pending ones stay for as long as there is somebody to send
 * them to: their events are swept by themselves, and what is then empty fails when it is its turn.
 *
 * The ids are in the order of time: the oldest are found without an index of their own.
 */
export async function sweepDeliveries(sql: Sql, keptMs: number): Promise<number> {
  const before = sql`now() - ${keptMs}::float8 * interval '1 millisecond'`;
  const rows = await sql`
    delete from webhook_deliveries
    where id = any(array(
      select d.id from webhook_deliveries d
      where d.id < ${firstIdAt(sql, before)} and d.created_at < ${before}
        and (
          d.state <> 'pending'
          or not exists (select from webhook_queues q where q.webhook_id = d.webhook_id)
        )
      order by d.id
      limit ${ROWS_PER_STEP}
      for update skip locked
    ))
    returning 1`;
  return rows.length;
}
