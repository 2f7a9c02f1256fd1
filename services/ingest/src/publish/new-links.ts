import { linkReach, lowestUuidAt, MAX_UUID, NIL_UUID, type StoredTransaction } from "#domain";
import { microsecondsSince1970, type Sql, type Transaction } from "#postgres";
import {
  createRetroactiveReader,
  retroactiveText,
  type StoredRow,
  storedColumns,
  toStored,
} from "#publisher-db";

export interface NewLink {
  readonly id: string;
  readonly memberId: string;
}

/** How far looks have come, by id: among new links, and among those to be published again. */
export interface LinkPlace {
  readonly first: string;
  readonly again: string;
}

export const BEFORE_ALL_LINKS: LinkPlace = { first: NIL_UUID, again: NIL_UUID };

/** New links, and those open transactions of ingest that may not have seen them. */
export interface NotedLinks {
  readonly links: readonly NewLink[];
  /** `areOver` says when they have ended. */
  readonly writers: readonly string[];
  /** Whether there may be more. */
  readonly isFull: boolean;
  /**
   * Where to look next, if these links may stay. After a page that is not full, new links are looked at again,
   * because a link that is committed later may have a lower id. Those to be published again are then left out:
   * the query for them passes over all new links.
   */
  readonly place: LinkPlace;
}

/**
 * Some new links, the oldest first and those to be published again last, with every transaction in which
 * ingest may be storing purchases now. Such a transaction may store a purchase without the link, and its
 * purchase is not visible yet: relinking looks for it once they are over. A later transaction stores the link
 * with the purchase, because ingest reads links after it has written rows.
 * @param limit of the page; those of it that are not meant are left out
 */
export async function noteNewLinks(
  sql: Sql,
  limit: number,
  after: LinkPlace = BEFORE_ALL_LINKS,
  isMeant: (link: NewLink) => boolean = () => true,
): Promise<NotedLinks> {
  // Each part uses the primary key. Only a few thousand of those to be published again wait, so that few are
  // passed over.
  const page = await sql<(NewLink & { isAgain: boolean })[]>`
    select id, member_id as "memberId", is_told_again as "isAgain" from (
      (select * from new_links where not is_told_again and id > ${after.first} order by id limit ${limit})
      union all
      (select * from new_links where is_told_again and id > ${after.again} order by id limit ${limit})
    ) as waiting
    limit ${limit}`;
  const links = page.filter(isMeant);
  const isFull = page.length === limit;
  const last = (again: boolean) => page.findLast(({ isAgain }) => isAgain === again)?.id;
  const place = isFull
    ? { first: last(false) ?? after.first, again: last(true) ?? after.again }
    : { first: after.first, again: MAX_UUID };
  // A separate statement after the first: a transaction that it does not see began after the links were
  // committed.
  return { links, writers: links.length === 0 ? [] : await findWriters(sql), isFull, place };
}

/**
 * The transactions of ingest's writers, by their virtual ids. The name of those connections excludes a backup
 * that reads for hours and the steps of ingest's own sweeps; relinking waits for neither.
 */
async function findWriters(sql: Sql): Promise<readonly string[]> {
  const open = await sql<{ writer: string }[]>`
    select locks.virtualxid as writer
    from pg_locks as locks
    join pg_stat_activity as activity on activity.pid = locks.pid
    where locks.locktype = 'virtualxid' and locks.granted
      and activity.datname = current_database() and activity.application_name = 'stampede-ingest'`;
  return open.map(({ writer }) => writer);
}

/** A member with new links, and how far back they may count. */
export interface NewlyLinked {
  readonly memberId: string;
  /** Microseconds since 1970: none of its new links counts for a purchase that was authorized before. */
  readonly since: number;
}

/**
 * Takes those of these links that no other process has taken, grouped by member, and locks them until the
 * transaction ends.
 * @returns also the taken links
 */
export async function takeNewLinks(
  sql: Transaction,
  ids: readonly string[],
): Promise<{ readonly links: readonly NewLink[]; readonly members: readonly NewlyLinked[] }> {
  const links = await sql<(NewLink & { madeAt: number; retroactive: string })[]>`
    select n.id, n.member_id as "memberId", ${microsecondsSince1970(sql, "n.made_at")} as "madeAt",
           case when n.loyalty_program_id is null then ${retroactiveText(sql, "d")}
             else ${retroactiveText(sql, "p")} end as retroactive
    from new_links n
    left join loyalty_programs p on p.id = n.loyalty_program_id
    left join deals d on d.id = n.deal_id
    where n.id = any(${ids}::uuid[])
    order by n.id
    for update of n skip locked`;
  const toRetroactive = createRetroactiveReader();
  const since = new Map<string, number>();
  for (const { memberId, madeAt, retroactive } of links) {
    const from = madeAt - linkReach({ retroactive: toRetroactive(retroactive) });
    since.set(memberId, Math.min(from, since.get(memberId) ?? from));
  }
  return { links, members: [...since].map(([memberId, from]) => ({ memberId, since: from })) };
}

/** A page of a member's purchases. `before` is the UUID of the last one on the previous page. */
export interface PurchasesWanted extends NewlyLinked {
  readonly before?: string | undefined;
}

/**
 * Purchases for which a new link may count, the newest first, up to `limit` for each member. Most members
 * have none: a member who saves a deal has not paid yet.
 *
 * A transaction's id begins with the time of its authorization (`transactionId`), so that one index leads to
 * the purchases, however many others the member has.
 */
export async function findNewlyLinked(
  sql: Sql,
  members: readonly PurchasesWanted[],
  limit: number,
): Promise<StoredTransaction[]> {
  const rows = await sql<StoredRow[]>`
    select ${storedColumns(sql)}
    from unnest(
      ${members.map(({ memberId }) => memberId)}::uuid[], ${members.map(({ since }) => lowestId(since))}::uuid[],
      ${members.map(({ before }) => before ?? MAX_UUID)}::uuid[]
    ) with ordinality as wanted (member_id, since, before, nth)
    cross join lateral (
      select * from transactions t
      where t.member_id = wanted.member_id and t.id >= wanted.since and t.id < wanted.before and t.state <> 'reverted'
      order by t.id desc limit ${limit}
    ) as t
    order by wanted.nth, t.id desc`;
  return rows.map(toStored);
}

/** A UUID below the ids of all transactions that were authorized at this time or later. */
function lowestId(microseconds: number): string {
  return lowestUuidAt(Math.max(0, Math.floor(microseconds / 1000)));
}

export async function dropNewLinks(sql: Transaction, links: readonly NewLink[]): Promise<void> {
  await sql`delete from new_links where id = any(${links.map(({ id }) => id)}::uuid[])`;
}
