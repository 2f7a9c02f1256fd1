import type { Sql } from "#postgres";

/**
 * Every transaction of this database that is open now, by its virtual id; `areOver` says when. One that looked before a change was
 * committed is among them or over; one that begins later sees the change.
 *
 * Snapshots and transaction ids would not tell: an ingest batch looks up what it is decided by in one statement and writes in the
 * next, and it has no id before it writes.
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
