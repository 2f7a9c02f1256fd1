import type { Sql } from "#postgres";

/** Every row of every table as text. */
export async function dumpEveryRow(sql: Sql): Promise<string> {
  const tables = await sql<{ name: string; rows: string }[]>`
    select
      tablename as name,
      query_to_xml(format('select r::text as row from %I.%I r', schemaname, tablename), true, false, '')::text as rows
    from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`;
  return tables.map(({ name, rows }) => `${name} ${rows}`).join("\n");
}
