import type { Sql } from "#postgres";

/**
 * Every transaction of this database that is open now, by its virtual id; `areOver` says when all have ended.
 * A transaction that read before a change was committed is either in this list or over; one that begins later
 * sees the change.
 *
 * Snapshots and transaction ids would not do: an ingest batch reads the state to decide on in one statement
 * and writes in the next, and has no transaction id before it writes.
 * @param application the prefix of `application_name` that selects the sessions
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

/** Whether all of those transactions have ended. */
export async function areOver(sql: Sql, writers: readonly string[]): Promise<boolean> {
  const [row] = await sql<[{ over: boolean }]>`
    select not exists (
      select from pg_locks where locktype = 'virtualxid' and virtualxid = any(${writers as string[]}::text[])
    ) as over`;
  return row.over;
}
