import { LINK_GRACE_MICROSECONDS, type StoredTransaction } from "#domain";
import type { Sql, Transaction } from "#postgres";
import { type StoredRow, storedColumns, toStored } from "#publisher-db";
import { findOpenWriters } from "../unlink-deleted-members.ts";

/** An enrolment or a clip that was just made, locked until the transaction ends. */
export interface NewLink {
  readonly id: string;
  readonly memberId: string;
  readonly retroactive: boolean;
}

/** New links, and ingest's transactions of the database that may not have seen them. */
export interface NotedLinks {
  readonly ids: readonly string[];
  /** `areOver` says when they are. */
  readonly writers: readonly string[];
}

/**
 * Some new links, the oldest first, with every transaction that ingest has open now. A purchase that is stored by one of
 * those may be without the link, and is not to be seen yet: it is looked for once they are over. What is stored by a later one
 * has the link, for ingest reads links behind its rows. Undefined when there are none.
 */
export async function noteNewLinks(sql: Sql, limit: number): Promise<NotedLinks | undefined> {
  const rows = await sql<{ id: string }[]>`select id from new_links order by id limit ${limit}`;
  if (rows.length === 0) return undefined;
  // A statement of its own, after the first: what it does not see has begun after the links were committed.
  return { ids: rows.map(({ id }) => id), writers: await findOpenWriters(sql, INGEST_APPLICATION) };
}

/** How ingest names its connections; a backup that reads for hours is none of them, and is not waited for. */
const INGEST_APPLICATION = "stampede-ingest";

/** Takes those of these links that nobody else has taken. */
export async function takeNewLinks(sql: Transaction, ids: readonly string[]): Promise<NewLink[]> {
  return sql<NewLink[]>`
    select n.id, n.member_id as "memberId",
           coalesce(
             (select retroactive from loyalty_programs p where p.id = n.loyalty_program_id),
             (select retroactive from deals d where d.id = n.deal_id),
             false
           ) as retroactive
    from new_links n
    where n.id = any(${ids}::uuid[])
    order by n.id
    for update of n skip locked`;
}

/**
 * Transactions of a new link's member that it counts for and that a purchase may still be confirmed of, by id, a page of them. For
 * most links there is none: whoever saves a deal has not paid yet.
 * @param reachMs how far back a retroactive link reaches
 * @param after UUID of the last transaction of the page before
 */
export async function findNewlyLinked(
  sql: Sql,
  { id, memberId, retroactive }: NewLink,
  { reachMs, after, limit }: { reachMs: number; after: string | undefined; limit: number },
): Promise<StoredTransaction[]> {
  const reach = retroactive ? reachMs * 1000 : LINK_GRACE_MICROSECONDS;
  const rows = await sql<StoredRow[]>`
    select ${storedColumns(sql)}
    from transactions t
    where t.member_id = ${memberId} and ${after === undefined ? sql`true` : sql`t.id > ${after}`}
      and t.state <> 'reverted'
      and t.authed_at >= (select made_at from new_links where id = ${id}) - ${reach} * interval '1 microsecond'
    order by t.id limit ${limit}`;
  return rows.map(toStored);
}

export async function dropNewLinks(sql: Transaction, links: readonly NewLink[]): Promise<void> {
  await sql`delete from new_links where id = any(${links.map(({ id }) => id)}::uuid[])`;
}
