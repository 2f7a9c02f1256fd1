import type { Sql } from "../connect.ts";

const ROWS_PER_STEP = 1000;

/**
 * Deletes answers older than `keptMs`, by the clock of the database, at most a thousand rows, and says how many.
 * Several processes may do it at once: each takes rows that no other has. One that is being replaced by a new request
 * with its key is left out, by its lock before that commits and by its date afterwards.
 */
export async function sweepIdempotencyKeys(sql: Sql, keptMs: number): Promise<number> {
  const rows = await sql`
    delete from idempotency_keys
    where (organisation_id, route, key) in (
      select organisation_id, route, key from idempotency_keys
      where created_at <= now() - ${keptMs}::float8 * interval '1 millisecond'
      order by created_at limit ${ROWS_PER_STEP}
      for update skip locked
    )
    returning 1
  `;
  return rows.length;
}
