import type { Sql } from "./connect.ts";

/** What a PostgreSQL server says of itself, to this role. */
export interface DatabaseServer {
  readonly version: string;
  /** Such as 180004. */
  readonly versionNumber: number;
  /** `on` or `off`. */
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** `off` gives acknowledgements before the commit is on disk. */
  readonly synchronousCommit: string;
  /** Connections that an ordinary role may have, all together. */
  readonly connectionLimit: number;
  /** Connections now that are not of Stampede. */
  readonly otherConnections: number;
  /** The server's clock, and when this process asked and had the answer (milliseconds since 1970). */
  readonly clock: { readonly server: number; readonly asked: number; readonly answered: number };
}

/** Two short statements; nothing in it needs more than a role that may connect. */
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
       where backend_type = 'client backend' and application_name not like 'stampede%') as "otherConnections"`;
  // Apart and last: the connection stands by now, so that the time between question and answer is short.
  const asked = now();
  const [at] = await sql<Array<{ server: Date }>>`select clock_timestamp() as server`;
  const clock = { server: (at as { server: Date }).server.getTime(), asked, answered: now() };
  return { ...(row as Omit<DatabaseServer, "clock">), clock };
}
