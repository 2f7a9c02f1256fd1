import type { Sql } from "./store.ts";

/** Names the database and when its server was started: another text for a copy, and for a server that was started anew. */
export async function nameDatabase(sql: Sql): Promise<string> {
  const [{ database }] = await sql<[{ database: string }]>`
    select current_database() || ' (' || oid || '), server started '
           || to_char(pg_postmaster_start_time() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as database
    from pg_database where datname = current_database()`;
  return database;
}
