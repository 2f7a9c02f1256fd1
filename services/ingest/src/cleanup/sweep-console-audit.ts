import { BEFORE_ALL_TIMES, type Sql, SweepPlace } from "#postgres";

const ROWS_PER_STEP = 1000;

/**
 * Deletes lines of the console's audit, with their steps, that are older than `keptDays` by the database's
 * clock; at most a thousand. Returns how many. Ingest does this because the console's role may only add
 * lines: an intruder who controls the console cannot remove the traces.
 */
export async function sweepConsoleAudit(
  sql: Sql,
  keptDays: number,
  place = new SweepPlace(BEFORE_ALL_TIMES),
): Promise<number> {
  const [{ removed, last }] = await sql<[{ removed: number; last: string | null }]>`
    with gone as (
      delete from console_audit
      where id in (
        select id from console_audit
        where at >= ${place.after}::text::timestamptz and at < now() - ${keptDays} * interval '1 day'
        order by at
        limit ${ROWS_PER_STEP}
      )
      returning at
    )
    select count(*) as removed, max(at)::text as last from gone`;
  place.goOn(last);
  return removed;
}
