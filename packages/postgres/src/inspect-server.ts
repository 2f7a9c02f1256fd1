import type { LockHolder } from "#runtime";
import type { Sql, Store } from "./store.ts";

const STATEMENT_CHARACTERS = 60;

/** A PostgreSQL server, as this role sees it. */
export interface DatabaseServer {
  readonly version: string;
  /** Such as 180004. */
  readonly versionNumber: number;
  /** `on` or `off`. */
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** With `off`, commits are acknowledged before they are on disk. */
  readonly synchronousCommit: string;
  /** Connections that all ordinary roles together may have. */
  readonly connectionLimit: number;
  /** Open connections that are not Stampede's. */
  readonly otherConnections: number;
  /** The server's clock, and when this process asked and got the answer (milliseconds since 1970). */
  readonly clock: { readonly server: number; readonly asked: number; readonly answered: number };
}

/**
 * Two short statements, which any role that may connect can run. A role without `pg_monitor` sees no type of another role's session; a
 * client's has a database and a user.
 */
export async function inspectServer(sql: Sql, now: () => number = Date.now): Promise<DatabaseServer> {
  const [row] = await sql<Array<Omit<DatabaseServer, "clock">>>`
    select
      current_setting('server_version') as version,
      current_setting('server_version_num')::int as "versionNumber",
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as "fullPageWrites",
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as "connectionLimit",
      (select count(*)::int from pg_stat_activity
       where datid is not null and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'
         and application_name not like 'stampede%') as "otherConnections"`;
  // Separate and last: by now there is a connection, so that little time passes between question and answer.
  const asked = now();
  const [at] = await sql<Array<{ server: Date }>>`select clock_timestamp() as server`;
  const clock = { server: (at as { server: Date }).server.getTime(), asked, answered: now() };
  return { ...(row as Omit<DatabaseServer, "clock">), clock };
}

/** Names the database and when its server was started: another text for a copy, and for a server that was restarted. */
export async function nameDatabase(sql: Sql): Promise<string> {
  const [{ database }] = await sql<[{ database: string }]>`
    select current_database() || ' (' || oid || '), server started '
           || to_char(pg_postmaster_start_time() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as database
    from pg_database where datname = current_database()`;
  return database;
}

/**
 * The session that blocks the longest waiting session of this role; undefined if none waits. A session that waits itself does not count.
 * Of another role's session a role without `pg_monitor` sees only number, application and role.
 */
export async function findLockHolder(store: Store): Promise<LockHolder | undefined> {
  const [holder] = await store<LockHolder[]>`
    select holder.pid, coalesce(holder.application_name, '') as application,
           coalesce(holder.usename, 'unknown') as role,
           to_char(holder.xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
           case when holder.state is null then null
                else left(regexp_replace(holder.query, '\\s+', ' ', 'g'), ${STATEMENT_CHARACTERS}) end as statement
    from pg_stat_activity as waiting
    cross join lateral unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
    join pg_stat_activity as holder on holder.pid = blocking.pid
    where waiting.wait_event_type = 'Lock' and waiting.usename = current_user
      and waiting.datname = current_database() and holder.wait_event_type is distinct from 'Lock'
    order by waiting.query_start limit 1`;
  if (holder === undefined) return undefined;
  return { ...holder, since: holder.since ?? undefined, statement: holder.statement ?? undefined };
}
