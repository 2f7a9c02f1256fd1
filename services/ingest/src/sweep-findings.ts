import { constantText, type Sql, SweepPlace } from "#postgres";

const ROWS_PER_STEP = 1000;
const NO_ID = "00000000-0000-0000-0000-000000000000";
/** For the place of this sweep. */
export const BEFORE_ALL_FINDINGS = `${NO_ID} ${NO_ID}`;

const TABLES = {
  transaction_rejections: constantText("transaction_rejections"),
  ignored_fields: constantText("ignored_fields"),
};

/**
 * Deletes what is kept of rejected events or of ignored fields, and the counts of their minutes, that were written more than `keptMs` ago, at most a thousand
 * rows, and says how many. Their age stands in their ids, by the database's clock, and their key begins with the
 * organisation: so each that has any is looked at by itself, which takes two look-ups, and no rejected event pays for an
 * index on its time. A step begins where the one before it ended, and with the first organisation if that was the last.
 */
export async function sweepFindings(
  sql: Sql,
  name: keyof typeof TABLES,
  keptMs: number,
  place = new SweepPlace(BEFORE_ALL_FINDINGS),
): Promise<number> {
  const table = TABLES[name](sql);
  const [organisation, id] = place.after.split(" ");
  const [{ removed, last }] = await sql<[{ removed: number; last: string | null }]>`
    with recursive owners as (
      (
        select organisation_id from ${table} where organisation_id >= ${organisation}::uuid
        order by organisation_id limit 1
      )
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
    ),
    gone as (
      delete from ${table}
      where (organisation_id, id) in (select organisation_id, id from old)
      returning organisation_id, id
    )
    select count(*) as removed,
           (select organisation_id || ' ' || id from gone order by organisation_id desc, id desc limit 1) as last
    from gone`;
  place.goOn(removed < ROWS_PER_STEP ? BEFORE_ALL_FINDINGS : last);
  return removed;
}

/** Deletes gaps that were noticed more than `keptMs` ago: nobody asks for batches of then any more. */
export async function sweepGaps(sql: Sql, keptMs: number): Promise<number> {
  await sql`delete from ingest_gaps where noticed_at < now() - ${keptMs}::float8 * interval '1 millisecond'`;
  return 0;
}
