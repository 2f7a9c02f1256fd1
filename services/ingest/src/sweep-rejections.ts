import type { Sql } from "#postgres";

const ROWS_PER_STEP = 1000;

/**
 * Deletes rejected events, and the counts of their minutes, that were written more than `keptMs` ago, at most a thousand
 * rows, and says how many.
 */
export async function sweepRejections(sql: Sql, keptMs: number): Promise<number> {
  const rows = await sql`
    delete from transaction_rejections
    where (organisation_id, id) in (
      select organisation_id, id from transaction_rejections
      where created_at < now() - ${keptMs}::float8 * interval '1 millisecond'
      order by created_at
      limit ${ROWS_PER_STEP}
      for update skip locked
    )
    returning 1
  `;
  return rows.length;
}
