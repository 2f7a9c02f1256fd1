import type { Sql, Store } from "#postgres";

const MEMBERS_AT_ONCE = 1000;
const MEMBERS_PER_STEP = 100;
const TRANSACTIONS_PER_STEP = 1000;
const REJECTIONS_PER_STEP = 1000;

/** Deleted members, and the transactions of the database (not of cards) that may still link something to them. */
export interface DeletedMembers {
  readonly memberIds: readonly string[];
  /** Virtual transaction ids. */
  readonly writers: readonly string[];
}

/**
 * Some members whose deletion is committed, with every transaction that is open now. One that saw a member before its
 * deletion is among them or over; one that begins later sees no such member. Undefined when there are none.
 *
 * Snapshots and transaction ids would not tell: an ingest batch looks its members up in one statement and writes in the
 * next, and it has no id before it writes.
 */
export async function findDeletedMembers(sql: Sql): Promise<DeletedMembers | undefined> {
  const members = await sql<{ member_id: string }[]>`
    select member_id from deleted_members order by member_id limit ${MEMBERS_AT_ONCE}`;
  if (members.length === 0) return undefined;
  // A statement of its own, after the first: what it does not see has begun after the deletions were committed.
  return { memberIds: members.map(({ member_id }) => member_id), writers: await findOpenWriters(sql, "") };
}

/**
 * Every transaction of this database that is open now, by its virtual id; `areOver` says when.
 * @param application the beginning of the `application_name` of those that matter
 */
export async function findOpenWriters(sql: Sql, application: string): Promise<readonly string[]> {
  const open = await sql<{ writer: string }[]>`
    select locks.virtualxid as writer
    from pg_locks as locks
    join pg_stat_activity as activity on activity.pid = locks.pid
    where locks.locktype = 'virtualxid' and locks.granted and locks.pid <> pg_backend_pid()
      and activity.datname = current_database() and activity.backend_type is distinct from 'autovacuum worker'
      and activity.application_name ^@ ${application}`;
  return open.map(({ writer }) => writer);
}

/** Whether those transactions are all over. */
export async function areOver(sql: Sql, writers: readonly string[]): Promise<boolean> {
  const [row] = await sql<[{ over: boolean }]>`
    select not exists (
      select from pg_locks where locktype = 'virtualxid' and virtualxid = any(${writers as string[]}::text[])
    ) as over`;
  return row.over;
}

/**
 * Removes what still names these members from transactions, rejected events and cashbacks, in steps of their own so that no
 * statement holds many rows; once for all if `areOver`. A crash in between leaves the rest to the next time. An event that
 * names such a member afterwards is rejected, and that is kept as it came: nothing leads from the id to a person any more.
 * @param stop aborted, it ends after the step under way, as a crash would
 */
export async function unlinkDeletedMembers(
  store: Store,
  memberIds: readonly string[],
  stop?: AbortSignal,
): Promise<void> {
  for (let start = 0; start < memberIds.length; start += MEMBERS_PER_STEP) {
    const step = memberIds.slice(start, start + MEMBERS_PER_STEP);
    for (const unlinkSome of [unlinkTransactions, unlinkRejections]) {
      while ((await unlinkSome(store, step)) > 0) if (stop?.aborted) return;
      if (stop?.aborted) return;
    }
    await dropCashbacks(store, step);
    await unlinkCashbacks(store, step);
    await store`delete from deleted_members where member_id = any(${step}::uuid[])`;
  }
}

/** Rows are locked in key order, as ingest does, so that the two cannot deadlock. */
async function unlinkTransactions(sql: Sql, memberIds: readonly string[]): Promise<number> {
  const rows = await sql`
    with chosen as materialized (
      select organisation_id, external_id from transactions
      where (organisation_id, external_id) in (
        select organisation_id, external_id from transactions
        where member_id = any(${memberIds}::uuid[]) limit ${TRANSACTIONS_PER_STEP}
      )
      order by organisation_id, external_id
      for no key update
    )
    update transactions t set member_id = null
    from chosen
    where t.organisation_id = chosen.organisation_id and t.external_id = chosen.external_id
    returning 1`;
  return rows.length;
}

/** In key order: two processes may do it at the same time. */
async function unlinkRejections(sql: Sql, memberIds: readonly string[]): Promise<number> {
  const rows = await sql`
    with chosen as materialized (
      select organisation_id, id from transaction_rejections
      where (organisation_id, id) in (
        select organisation_id, id from transaction_rejections
        where member_id = any(${memberIds}::uuid[]) limit ${REJECTIONS_PER_STEP}
      )
      order by organisation_id, id
      for no key update
    )
    update transaction_rejections r set member_id = null
    from chosen
    where r.organisation_id = chosen.organisation_id and r.id = chosen.id
    returning 1`;
  return rows.length;
}

/**
 * Deletes the cashbacks of redemptions whose transactions have left (decision 38). They were kept for the redemption that
 * showed them, and that went with its member.
 */
async function dropCashbacks(sql: Sql, memberIds: readonly string[]): Promise<void> {
  await sql`
    with chosen as materialized (
      select c.id from cashbacks c
      where c.member_id = any(${memberIds}::uuid[]) and c.redemption_id is not null and c.state <> 'pending'
        and not exists (
          select from transactions t
          where t.organisation_id = c.organisation_id and t.external_id = c.transaction_ref
        )
      order by c.id
      for update
    )
    delete from cashbacks using chosen where cashbacks.id = chosen.id`;
}

/** By id, as settlements lock the cashbacks that outlived their member. */
async function unlinkCashbacks(sql: Sql, memberIds: readonly string[]): Promise<void> {
  await sql`
    with chosen as materialized (
      select id from cashbacks where member_id = any(${memberIds}::uuid[]) order by id for no key update
    )
    update cashbacks set member_id = null from chosen where cashbacks.id = chosen.id`;
}
