import type { Sql, Store } from "#postgres";

const MEMBERS_AT_ONCE = 1000;
const MEMBERS_PER_STEP = 100;
const TRANSACTIONS_PER_STEP = 1000;
const REJECTIONS_PER_STEP = 1000;

/** A purchase is matched within 30 days of either side; a day more for what is under way. */
const MATCHED_WITHIN_DAYS = 31;
/** How soon a member is looked at again that still has a pending cashback. */
const LOOKED_AT_AGAIN_DAYS = 1;

/** Who links anything to members: events, enrolments and clips, stamps and cashbacks. */
const LINKING = ["stampede-ingest", "stampede-edge", "stampede-rewards"];

/** Deleted members, and the transactions of the database (not of cards) that may still link something to them. */
export interface DeletedMembers {
  readonly memberIds: readonly string[];
  /** Virtual transaction ids. */
  readonly writers: readonly string[];
}

/**
 * Some members whose deletion is committed and that are due, with every transaction that is open now in a process which links
 * something to members; a backup that reads for hours is none. One that saw a member before its deletion is among them or over;
 * one that begins later sees no such member. Undefined when there are none.
 *
 * Snapshots and transaction ids would not tell: an ingest batch looks its members up in one statement and writes in the
 * next, and it has no id before it writes.
 */
export async function findDeletedMembers(sql: Sql): Promise<DeletedMembers | undefined> {
  const members = await sql<{ member_id: string }[]>`
    select member_id from deleted_members where due_at <= now() order by due_at, member_id limit ${MEMBERS_AT_ONCE}`;
  if (members.length === 0) return undefined;
  // A statement of its own, after the first: what it does not see has begun after the deletions were committed.
  return {
    memberIds: members.map(({ member_id }) => member_id),
    writers: await findOpenWriters(sql, LINKING),
  };
}

/**
 * Transactions of this database that are open now, by their virtual ids; `areOver` says when they are over.
 * @param applications how the `application_name` of those that matter begins
 */
export async function findOpenWriters(sql: Sql, applications: readonly string[]): Promise<readonly string[]> {
  const open = await sql<{ writer: string }[]>`
    select locks.virtualxid as writer
    from pg_locks as locks
    join pg_stat_activity as activity on activity.pid = locks.pid
    where locks.locktype = 'virtualxid' and locks.granted and locks.pid <> pg_backend_pid()
      and activity.datname = current_database() and activity.backend_type is distinct from 'autovacuum worker'
      and exists (
        select from unnest(${applications as string[]}::text[]) as matters (name) where activity.application_name ^@ name
      )`;
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
 * Removes these members' enrolments and clips, and what still names them in transactions, rejected events and cashbacks, in
 * steps of their own so that no statement holds many rows; once for all if `areOver`. Members of whose purchases something may
 * still come lose their rejected events only, and are put off. A crash in between leaves the rest to the next time. An event
 * that names such a member afterwards is rejected, and that is kept as it came: nothing leads from the id to a person any more.
 * @param stop aborted, it ends after the step under way, as a crash would
 */
export async function unlinkDeletedMembers(
  store: Store,
  memberIds: readonly string[],
  stop?: AbortSignal,
): Promise<void> {
  for (let start = 0; start < memberIds.length; start += MEMBERS_PER_STEP) {
    const some = memberIds.slice(start, start + MEMBERS_PER_STEP);
    while ((await unlinkRejections(store, some)) > 0) if (stop?.aborted) return;
    const later = await putOff(store, some);
    const step = some.filter((id) => !later.has(id));
    // First: a card's stamps are of the transactions of its member.
    await dropLinks(store, step);
    while ((await unlinkTransactions(store, step)) > 0) if (stop?.aborted) return;
    if (stop?.aborted) return;
    await dropCashbacks(store, step);
    await unlinkCashbacks(store, step);
    await store`delete from deleted_members where member_id = any(${step}::uuid[])`;
  }
}

/**
 * Puts off those of whose purchases something may still come: they had an enrolment or a clip, and their purchases are not too
 * old to be matched, or a cashback is pending. So no round reads them again.
 */
async function putOff(sql: Sql, memberIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ member_id: string }[]>`
    with linked as materialized (
      select member_id, deleted_at + make_interval(days => ${MATCHED_WITHIN_DAYS}::int) as matched_until,
             exists (
               select from stamp_collections s where s.member_id = d.member_id and s.pending_redemptions <> '{}'
             ) or exists (
               select from cashbacks c where c.member_id = d.member_id and c.state = 'pending'
             ) as pending
      from deleted_members d
      where d.member_id = any(${memberIds}::uuid[]) and (
        exists (select from stamp_collections s where s.member_id = d.member_id)
        or exists (select from clips where clips.member_id = d.member_id)
      )
      order by d.member_id
      for update of d
    )
    update deleted_members
    set due_at = greatest(linked.matched_until, now() + make_interval(days => ${LOOKED_AT_AGAIN_DAYS}::int))
    from linked
    where deleted_members.member_id = linked.member_id and (linked.pending or linked.matched_until > now())
    returning deleted_members.member_id`;
  return new Set(rows.map(({ member_id }) => member_id));
}

/** Collections by id, then clips by id, as rewards lock them; a trigger deletes stamps and redemptions. */
async function dropLinks(store: Store, memberIds: readonly string[]): Promise<void> {
  await store.begin("isolation level read committed", async (sql) => {
    for (const table of ["stamp_collections", "clips"]) {
      const rows = await sql<{ id: string }[]>`
        select id from ${sql(table)} where member_id = any(${memberIds}::uuid[]) order by id for update`;
      await sql`delete from ${sql(table)} where id = any(${rows.map(({ id }) => id)}::uuid[])`;
    }
  });
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
