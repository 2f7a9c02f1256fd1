import type { Sql } from "./connect.ts";
import type { MigrationFile, MigrationSet } from "./migration-file.ts";

/** A database's record of a migration that it has. */
interface MigrationRecord {
  readonly name: string;
  readonly checksum: string;
  /** Code whose last migration comes before this one cannot work on the database; null: all can. */
  readonly incompatibleBefore: string | null;
  readonly incompatibleReason: string | null;
}

export type MigrationRecords = ReadonlyMap<string, MigrationRecord>;

function recordsTable({ schema }: MigrationSet): string {
  return schema === undefined ? "schema_migrations" : `${schema}.schema_migrations`;
}

/** Makes the table of records, or adds the columns that releases before 0.2 did not have. */
export async function ensureRecords(sql: Sql, set: MigrationSet): Promise<void> {
  const table = sql(recordsTable(set));
  // Asked first: "… if not exists" would give a notice at every start, and lock the table.
  const columns = await columnsOf(sql, set);
  if (columns.length === 0) {
    if (set.schema !== undefined) await sql`create schema if not exists ${sql(set.schema)}`;
    await sql`
      create table ${table} (
        name text collate "C" not null,
        checksum text not null,
        applied_at timestamptz not null default now(),
        constraint schema_migrations_pkey primary key (name)
      )`;
  }
  if (columns.includes("incompatible_before")) return;
  await sql`alter table ${table} add column incompatible_before text, add column incompatible_reason text`;
}

/** Empty if the database was never migrated. */
export async function readRecords(sql: Sql, set: MigrationSet): Promise<MigrationRecords> {
  const columns = await columnsOf(sql, set);
  if (columns.length === 0) return new Map();
  const marks = columns.includes("incompatible_before")
    ? sql`incompatible_before as "incompatibleBefore", incompatible_reason as "incompatibleReason"`
    : sql`null as "incompatibleBefore", null as "incompatibleReason"`;
  const rows = await sql<MigrationRecord[]>`
    select name, checksum, ${marks} from ${sql(recordsTable(set))} order by name`;
  return new Map(rows.map((row) => [row.name, row]));
}

export async function insertRecord(sql: Sql, set: MigrationSet, migration: MigrationFile): Promise<void> {
  const { name, checksum, incompatible } = migration;
  await sql`
    insert into ${sql(recordsTable(set))} (name, checksum, incompatible_before, incompatible_reason)
    values (${name}, ${checksum}, ${incompatible?.before ?? null}, ${incompatible?.reason ?? null})`;
}

/** Migrations that the database has and this code does not know. */
export function unknownRecords(
  migrations: readonly MigrationFile[],
  records: MigrationRecords,
): MigrationRecord[] {
  const known = new Set(migrations.map(({ name }) => name));
  return [...records.values()].filter(({ name }) => !known.has(name));
}

/** Those of them on which this code cannot work. */
export function incompatibleRecords(
  migrations: readonly MigrationFile[],
  records: MigrationRecords,
): MigrationRecord[] {
  const last = migrations.at(-1)?.name ?? "";
  return unknownRecords(migrations, records).filter(
    ({ incompatibleBefore }) => incompatibleBefore !== null && last < incompatibleBefore,
  );
}

async function columnsOf(sql: Sql, set: MigrationSet): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select attname::text as name from pg_attribute
    where attrelid = to_regclass(${recordsTable(set)}) and attnum > 0 and not attisdropped`;
  return rows.map(({ name }) => name);
}
