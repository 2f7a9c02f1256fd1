import { constantText, type Sql } from "#postgres";

const ROWS_PER_STEP = 1000;

const TABLES = {
  transaction_rejections: constantText("transaction_rejections"),
  ignored_fields: constantText("ignored_fields"),
};

/**
 * Deletes what is kept of rejected events or of ignored fields, and the counts of their minutes, that were written more than `keptMs` ago, at most a thousand
 * rows, and says how many. Its age stands in the ids, by the database's clock, and the key begins with the
 * organisation: so each that has any is looked at by itself, which takes two look-ups, and no rejected event pays for an
 * index on its time.
 */
export async function sweepFindings(sql: Sql, name: keyof typeof TABLES, keptMs: number): Promise<number> {
  const table = TABLES[name](sql);
  const rows = await sql`
    with recursive owners as (
      (select organisation_id from ${table} order by organisation_id limit 1)
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
        where r.organisation_id = o.organisation_id and r.id < (
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
    returning 1
  `;
  return rows.length;
}

/** Deletes gaps that were noticed more than `keptMs` ago: nobody asks for batches of then any more. */
export async function sweepGaps(sql: Sql, keptMs: number): Promise<number> {
  await sql`delete from ingest_gaps where noticed_at < now() - ${keptMs}::float8 * interval '1 millisecond'`;
  return 0;
}
