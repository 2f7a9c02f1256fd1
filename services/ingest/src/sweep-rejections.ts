import type { Sql } from "#postgres";

const ROWS_PER_STEP = 1000;

/**
 * Deletes rejected events, and the counts of their minutes, that were written more than `keptMs` ago, at most a thousand
 * rows, and says how many. Their age stands in their ids, by the database's clock, and their key begins with the
 * organisation: so each that has any is looked at by itself, which takes two look-ups, and no rejected event pays for an
 * index on its time.
 */
export async function sweepRejections(sql: Sql, keptMs: number): Promise<number> {
  const rows = await sql`
    with recursive owners as (
      (select organisation_id from transaction_rejections order by organisation_id limit 1)
      union all
      select (
        select r.organisation_id from transaction_rejections r
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
        select * from transaction_rejections r
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
    delete from transaction_rejections
    where (organisation_id, id) in (select organisation_id, id from old)
    returning 1
  `;
  return rows.length;
}
