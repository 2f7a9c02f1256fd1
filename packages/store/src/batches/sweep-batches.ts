import type { Sql } from "../connect.ts";

const ROWS_PER_STEP = 1000;

/**
 * Deletes outcomes older than `before`, at most a thousand rows, and says how many. Batch ids are UUIDv7, so the key
 * is in the order of time: the oldest are found without an index of their own.
 */
export async function sweepBatches(sql: Sql, before: Date): Promise<number> {
  const rows = await sql`
    delete from batch_parts
    where (batch_id, first_event) in (
      select batch_id, first_event from batch_parts
      order by batch_id limit ${ROWS_PER_STEP}
      for update skip locked
    )
    and created_at < ${before}
    returning 1
  `;
  return rows.length;
}
