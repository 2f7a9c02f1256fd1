import type { Sql } from "#postgres";

const ROWS_PER_STEP = 1000;

/**
 * Deletes lines of the console's audit, with their steps, that are older than `keptDays`, by the clock of the database, at
 * most a thousand, and says how many. Here and not in the console, whose role may only add lines: whoever gets hold of the
 * console cannot remove what was done there.
 */
export async function sweepConsoleAudit(sql: Sql, keptDays: number): Promise<number> {
  const rows = await sql`
    delete from console_audit
    where id in (
      select id from console_audit
      where at < now() - ${keptDays} * interval '1 day'
      order by at
      limit ${ROWS_PER_STEP}
    )
    returning 1
  `;
  return rows.length;
}
