import type { Sql } from "../connect.ts";

const ROWS_PER_STEP = 1000;

/**
 * Deletes events that happened before then, whoever has not got them yet (contract, section 10: they are kept for 30
 * days); at most a thousand of the oldest, and says how many. A cursor that stands among them is as good as before.
 */
export async function sweepEvents(sql: Sql, before: Date): Promise<number> {
  const rows = await sql`
    delete from events
    where sequence in (
      select sequence from events
      order by sequence
      limit ${ROWS_PER_STEP}
      for update skip locked
    )
    and at < ${before}
    returning 1`;
  return rows.length;
}
