import type { Sql } from "./connect.ts";

/** What a PostgreSQL server says about itself, to this role. */
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
  /** The server's clock, and when this process asked and when it had the answer (milliseconds since 1970). */
  readonly clock: { readonly server: number; readonly asked: number; readonly answered: number };
}

/** Two short statements, which any role that may connect can run. */
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
  // Apart and last: by now there is a connection, so little time passes between question and answer.
  const asked = now();
  const [at] = await sql<Array<{ server: Date }>>`select clock_timestamp() as server`;
  const clock = { server: (at as { server: Date }).server.getTime(), asked, answered: now() };
  return { ...(row as Omit<DatabaseServer, "clock">), clock };
}
