import { LINK_GRACE_MICROSECONDS, RETROACTIVE_REACH_MICROSECONDS } from "#domain";
import type { Sql, Transaction } from "#postgres";
import { firstIdAt } from "#publisher-db";

/** Rows of links that a step looks at. */
const LINKS_PER_STEP = 5_000;
/**
 * While so many links wait for ingest, no step is made: each adds as many as it looks at, at most. So they come as ingest tells of
 * them, and new links have few to pass over (`noteNewLinks`).
 */
const LINKS_WAITING_MAX = 2_000;
/** So much may the clock of an edge, which ids are made by, be behind the database's: far more than is told as a fault. */
const CLOCKS_DIFFER = "1 day";
/** Who learns of it sooner has told of no link without it: none is made yet that counts for what was bought since, but for the grace. */
const IN_TIME_MICROSECONDS = LINK_GRACE_MICROSECONDS / 2;

/** A program or a deal. */
export interface Subject {
  readonly kind: "loyalty-program" | "deal";
  readonly id: string;
}

/**
 * Notes that a program or deal has been retroactive since then, in the database transaction that learns of it. A note that is there
 * is begun again.
 * @param since microseconds since 1970
 */
export async function noteLateRetroactive(
  sql: Transaction,
  { kind, id }: Subject,
  since: number,
): Promise<void> {
  await sql`
    insert into late_retroactive (since, id, is_deal, last_link)
    select since, ${id}, ${kind === "deal"}, ${firstIdAt(sql, sql`(since - ${CLOCKS_DIFFER}::text::interval)`)}
    from (
      select greatest(
        timestamptz 'epoch' + ${since}::bigint * interval '1 microsecond',
        now() - ${RETROACTIVE_REACH_MICROSECONDS}::bigint * interval '1 microsecond'
      ) as since
    ) as noted
    where since < now() - ${IN_TIME_MICROSECONDS}::int * interval '1 microsecond'
    on conflict (id) do update set
      since = least(late_retroactive.since, excluded.since),
      last_link = least(late_retroactive.last_link, excluded.last_link)`;
}

/**
 * Looks at some links of what was noted, and has ingest tell of those that may count for more purchases than was known.
 * @returns whether there was anything to do, and few enough waited
 */
export async function stepLateRetroactive(sql: Transaction): Promise<boolean> {
  const [noted] = await sql<{ id: string; isDeal: boolean; lastLink: string }[]>`
    select id, is_deal as "isDeal", last_link as "lastLink" from late_retroactive
    where (select count(*) from (select from new_links limit ${LINKS_WAITING_MAX}) as waiting) < ${LINKS_WAITING_MAX}
    order by id limit 1
    for update skip locked`;
  if (noted === undefined) return false;
  const last = await noteLinks(sql, noted);
  if (last === null) await sql`delete from late_retroactive where id = ${noted.id}`;
  else await sql`update late_retroactive set last_link = ${last} where id = ${noted.id}`;
  return true;
}

/**
 * A link whose row is there may be one that ingest is telling of right now, by the configuration of before: it holds the row
 * locked, and deletes it in the end. So this waits for the lock, and makes the row again when it is deleted. Ingest waits for no
 * lock meanwhile, and all who write these rows take them by id. If ingest takes longer to publish than a statement may last, the
 * step is undone and made again: the note stays.
 * @returns the last link that was looked at; null: it was the last of all
 */
async function noteLinks(
  sql: Sql,
  { id, isDeal, lastLink }: { readonly id: string; readonly isDeal: boolean; readonly lastLink: string },
): Promise<string | null> {
  const [table, column] = isDeal ? ["clips", "deal_id"] : ["stamp_collections", "loyalty_program_id"];
  const [{ last }] = await sql<[{ last: string | null }]>`
    with looked_at as materialized (
      select id, created_at, member_id, ${sql(column)} from ${sql(table)}
      where id > ${lastLink} order by id limit ${LINKS_PER_STEP}
    ),
    noted as (
      insert into new_links (id, made_at, member_id, is_told_again, ${sql(column)})
      select l.id, l.created_at, l.member_id, true, l.${sql(column)}
      from looked_at l join late_retroactive late on late.id = l.${sql(column)}
      where l.${sql(column)} = ${id}
        and l.created_at >= late.since + ${LINK_GRACE_MICROSECONDS}::int * interval '1 microsecond'
      order by l.id
      on conflict (id) do update set made_at = excluded.made_at
    )
    select case when count(*) = ${LINKS_PER_STEP} then (array_agg(id order by id desc))[1] end as last from looked_at`;
  return last;
}
