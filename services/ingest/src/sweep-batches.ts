import { BEFORE_ALL_TIMES, type Sql, SweepPlace } from "#postgres";

const ROWS_PER_STEP = 1000;

/**
 * Deletes outcomes that were recorded more than `keptMs` ago, by the clock of the database, at most a thousand rows, and
 * says how many. Found by that time and not by their ids, which carry the clock of the edge that made them: those of one
 * that is behind would stand before all others and never be old.
 */
export async function sweepBatches(
  sql: Sql,
  keptMs: number,
  place = new SweepPlace(BEFORE_ALL_TIMES),
): Promise<number> {
  const [{ removed, last }] = await sql<[{ removed: number; last: string | null }]>`
    with gone as (
      delete from batch_parts
      where (batch_id, first_event) in (
        select batch_id, first_event from batch_parts
        where created_at >= ${place.after}::text::timestamptz
          and created_at < now() - ${keptMs}::float8 * interval '1 millisecond'
        order by created_at
        limit ${ROWS_PER_STEP}
        for update skip locked
      )
      returning created_at
    )
    select count(*) as removed, max(created_at)::text as last from gone`;
  place.goOn(last);
  return removed;
}
