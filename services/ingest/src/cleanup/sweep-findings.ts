import { constantText, type Sql, SweepPlace } from "#postgres";

const ROWS_PER_STEP = 1000;

const TABLES = {
  transaction_rejections: constantText("transaction_rejections"),
  ignored_fields: constantText("ignored_fields"),
};

const NO_ID = "00000000-0000-0000-0000-000000000000";
/** For the place of these sweeps. */
export const BEFORE_ALL_FINDINGS = `${NO_ID} ${NO_ID}`;

/**
 * Deletes what is kept of rejected events or of ignored fields, and the counts of their minutes, that were written more than
 * `keptMs` ago, at most a thousand rows, and says how many. Their age stands in their ids, by the database's clock, and their key
 * begins with the organisation: so each that has any is looked at by itself, which takes two look-ups, and no rejected event pays
 * for an index on its time. A step begins where the one before it ended, and with the first organisation if that was the last.
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
          and r.id > case when o.organisation_id = ${organisation}::uuid then ${id}::uuid else ${NO_ID}::uuid end
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

/** Deletes gaps that were noticed more than `keptMs` ago: ids of batches from then have expired. */
export async function sweepGaps(sql: Sql, keptMs: number): Promise<number> {
  await sql`delete from ingest_gaps where noticed_at < now() - ${keptMs}::float8 * interval '1 millisecond'`;
  return 0;
}

/** Deletes expired events of members that were not made again, at most a thousand, and says how many. */
export async function sweepReplayRejections(sql: Sql, keptMs: number): Promise<number> {
  const gone = await sql`
    delete from replay_rejections where place in (
      select place from replay_rejections
      where kept_at < now() - ${keptMs}::float8 * interval '1 millisecond'
      order by kept_at limit ${ROWS_PER_STEP}
    ) returning place`;
  return gone.length < ROWS_PER_STEP ? 0 : gone.length;
}
