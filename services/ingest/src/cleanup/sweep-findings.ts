import { NIL_UUID } from "#domain";
import { constantText, type Sql, SweepPlace } from "#postgres";

const ROWS_PER_STEP = 1000;

const TABLES = {
  transaction_rejections: constantText("transaction_rejections"),
  ignored_fields: constantText("ignored_fields"),
};

/** The place at which these sweeps begin. */
export const BEFORE_ALL_FINDINGS = `${NIL_UUID} ${NIL_UUID}`;

/**
 * Deletes rejected events or ignored fields, and the counts of their minutes, that were written more than
 * `keptMs` ago; at most a thousand rows. Returns how many. The ids hold the time, by the database's clock,
 * and the keys begin with the organisation. So the sweep goes from organisation to organisation with two
 * look-ups each, and no rejected event pays for an index on its time. A step begins where the previous one
 * ended, and after the last organisation with the first.
 */
export async function sweepFindings(
  sql: Sql,
  name: keyof typeof TABLES,
  keptMs: number,
  place = new SweepPlace(BEFORE_ALL_FINDINGS),
): Promise<number> {
  const table = TABLES[name](sql);
  const [organisation, id] = place.after.split(" ");
  const gone = await sql<{ organisation: string; id: string }[]>`
    with recursive owners as (
      select ${organisation}::uuid as organisation_id
      union all
      select (
        select r.organisation_id from ${table} r
        where r.organisation_id > o.organisation_id
        order by r.organisation_id limit 1
      )
      from owners o
      where o.organisation_id is not null
    ),
    old as (
      select r.organisation_id, r.id
      from owners o
      cross join lateral (
        select * from ${table} r
        where r.organisation_id = o.organisation_id
          and r.id > case when o.organisation_id = ${organisation}::uuid then ${id}::uuid else ${NIL_UUID}::uuid end
          and r.id < (
            lpad(to_hex(floor(extract(epoch from now()) * 1000 - ${keptMs}::float8)::bigint), 12, '0')
              || '-0000-0000-000000000000'
          )::uuid
        order by r.id
        limit ${ROWS_PER_STEP}
        for update skip locked
      ) as r
      limit ${ROWS_PER_STEP}
    )
    delete from ${table}
    where (organisation_id, id) in (select organisation_id, id from old)
    returning organisation_id as organisation, id`;
  const isOver = gone.length < ROWS_PER_STEP;
  const places = gone.map((row) => `${row.organisation} ${row.id}`);
  place.goOn(isOver ? BEFORE_ALL_FINDINGS : (places.sort().at(-1) ?? null));
  return gone.length;
}

/** Deletes gaps that were noticed more than `keptMs` ago: ids of batches from that time have expired. */
export async function sweepGaps(sql: Sql, keptMs: number): Promise<number> {
  await sql`delete from ingest_gaps where noticed_at < now() - ${keptMs}::float8 * interval '1 millisecond'`;
  return 0;
}

/** Deletes expired events whose members were not made again, at most a thousand, and returns how many. */
export async function sweepReplayRejections(sql: Sql, keptMs: number): Promise<number> {
  const gone = await sql`
    delete from replay_rejections where place in (
      select place from replay_rejections
      where kept_at < now() - ${keptMs}::float8 * interval '1 millisecond'
      order by kept_at limit ${ROWS_PER_STEP}
    ) returning place`;
  return gone.length < ROWS_PER_STEP ? 0 : gone.length;
}
