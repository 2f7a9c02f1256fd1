import type { Sql } from "#postgres";

const ROWS_PER_STEP = 1000;

/**
 * Deletes events that were written more than `keptMs` ago, whoever has not got them yet (contract, section 10: they are
 * kept for 30 days); at most a thousand, and says how many. A cursor that stands among them is as good as before.
 *
 * Both times are the database's: what an event says of itself (`at`) is a process's, whose clock may be wrong. The oldest
 * are found by index, whatever their numbers: one from a time when the clock was ahead does not keep the others.
 */
export async function sweepEvents(sql: Sql, keptMs: number): Promise<number> {
  const rows = await sql`
    delete from events
    where sequence = any(array(
      select sequence from events
      where written_at < now() - ${keptMs}::float8 * interval '1 millisecond'
      order by written_at
      limit ${ROWS_PER_STEP}
      for update skip locked
    ))
    returning 1`;
  return rows.length;
}
