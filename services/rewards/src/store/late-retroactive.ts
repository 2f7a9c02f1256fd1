import { setTimeout as delay } from "node:timers/promises";
import { LINK_GRACE_MICROSECONDS, RETROACTIVE_REACH_MICROSECONDS } from "#domain";
import type { Sql, Store, Transaction } from "#postgres";
import { firstIdAt } from "#publisher-db";
import { type Log, repeat } from "#runtime";

/** The table is nearly always empty, and then a round is one query. */
const INTERVAL_MS = 1_000;

/** The number of links that one step reads. */
const LINKS_PER_STEP = 5_000;
/**
 * While this many links wait to be told again, no step is made: so new links have few to pass
 * (`noteNewLinks`). New links do not count: while a stream is full, those of one partition may be any number.
 */
const LINKS_WAITING_MAX = 2_000;
/**
 * The most by which the clock of an edge, which gives ids their time, may be behind the database's: far more
 * than is reported as a fault.
 */
const CLOCKS_DIFFER = "1 day";
/**
 * Configuration that comes sooner is not late: no link exists yet that counts for purchases since then,
 * except by the grace.
 */
const IN_TIME_MICROSECONDS = LINK_GRACE_MICROSECONDS / 2;

/**
 * Has ingest publish again, in small steps, enrolments and clips that count for more purchases than was known
 * when they were made, because configuration came late. Each step is a database transaction, followed by a
 * rest of the same length. Several processes may do this at the same time.
 */
export function startTellingLateRetroactive(store: Store, log: Log): () => Promise<void> {
  const { stop } = repeat({
    name: "late retroactive",
    everyMs: INTERVAL_MS,
    work: async (signal) => {
      while (!signal.aborted) {
        const startedAt = performance.now();
        if (!(await store.begin(stepLateRetroactive))) return;
        await delay(performance.now() - startedAt, undefined, { signal }).catch(() => {});
      }
    },
    failed: "enrolments and clips wait to be told by configuration that came late",
    log,
  });
  return stop;
}

/**
 * Notes that a program or deal has been retroactive since a time, in the database transaction that learns of it. A note that exists
 * starts over.
 * @param since microseconds since 1970
 */
export async function noteLateRetroactive(
  sql: Transaction,
  { kind, id }: { readonly kind: "loyalty-program" | "deal"; readonly id: string },
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
 * Reads some links of a note, and makes ingest publish those again that may count for more purchases than was
 * known.
 * @returns whether a step was made
 */
export async function stepLateRetroactive(sql: Transaction): Promise<boolean> {
  const [noted] = await sql<{ id: string; isDeal: boolean; lastLink: string }[]>`
    select id, is_deal as "isDeal", last_link as "lastLink" from late_retroactive
    order by id limit 1
    for update skip locked`;
  if (noted === undefined || (await areManyWaiting(sql))) return false;
  const last = await noteLinks(sql, noted);
  if (last === null) await sql`delete from late_retroactive where id = ${noted.id}`;
  else await sql`update late_retroactive set last_link = ${last} where id = ${noted.id}`;
  return true;
}

async function areManyWaiting(sql: Sql): Promise<boolean> {
  const [{ areMany }] = await sql<[{ areMany: boolean }]>`
    select count(*) = ${LINKS_WAITING_MAX} as "areMany"
    from (select from new_links where is_told_again limit ${LINKS_WAITING_MAX}) as waiting`;
  return areMany;
}

/**
 * If a link has a row, ingest may be publishing it right now by the old configuration: it holds the row's lock, and deletes the
 * row in the end. So this waits for the lock, and inserts the row again if it was deleted. Ingest waits for no lock meanwhile,
 * and all writers of these rows take them by id. If publishing takes longer than a statement may last, the step is rolled back
 * and repeated: the note stays.
 * @returns the last link that was looked at; null: there are no more
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
