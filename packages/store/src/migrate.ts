import { type AdvisoryLock, lockForTransaction } from "./advisory-lock.ts";
import { closeStore, connectStore, type Sql, type Store } from "./connect.ts";
import { type MigrationFile, migrationsDirectory, readMigrations } from "./migration-file.ts";

/** Migrations that belong together, and where a database remembers which of them it has. */
export interface MigrationSet {
  readonly directory: string;
  /**
   * What they make is in this schema, which is made for them, and nothing of it outside. Absent: the connection's own,
   * as a rule `public`.
   */
  readonly schema?: string;
  /** Sets that share a database have a lock each. */
  readonly lock: AdvisoryLock;
}

const PUBLISHER: MigrationSet = { directory: migrationsDirectory("store"), lock: "migrate" };

export interface MigrationOutcome {
  /**
   * Names of the migrations that this call applied, in order; those another process took meanwhile are not in
   * it.
   */
  readonly applied: string[];
}

/**
 * `MIGRATION_EDITED`, `MIGRATION_UNKNOWN`: code and database do not belong together. `MIGRATION_FAILED`: see
 * `cause`.
 */
export class MigrationError extends Error {
  readonly code: "MIGRATION_EDITED" | "MIGRATION_UNKNOWN" | "MIGRATION_FAILED";

  constructor(code: MigrationError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MigrationError";
    this.code = code;
  }
}

/**
 * Brings the database to the schema of this code. Safe to call from several processes at once, and again: it
 * then applies nothing. Throws `MigrationError`, or the error of the connection.
 */
export async function migrate(
  databaseUrl: string,
  log: (message: string) => void = () => {},
): Promise<MigrationOutcome> {
  return migrateSet(PUBLISHER, databaseUrl, log);
}

/*
 * Why our own: the runners that are kept up want the `pg` driver, and the one that takes any client
 * (postgrator 8) writes its record outside the migration's transaction, does not look at migrations the
 * database has and the code has not, and calls the undo scripts when the database is ahead. What is needed
 * fits on two screens.
 */
export async function migrateSet(
  set: MigrationSet,
  databaseUrl: string,
  log: (message: string) => void,
): Promise<MigrationOutcome> {
  const migrations = await readMigrations(set.directory);
  // No time-out: building an index on a large table may take long, and so may waiting for the process that
  // does it.
  const store = connectStore({
    url: databaseUrl,
    max: 1,
    applicationName: "stampede-migrate",
    statementTimeoutMs: 0,
  });
  try {
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(store, set, migrations, log);
      if (name === undefined) return { applied };
      applied.push(name);
    }
  } finally {
    await closeStore(store);
  }
}

/**
 * One migration and its record in one transaction; the name of it, or undefined when none is left. The lock
 * is taken anew in each transaction and the records read under it, so neither a lost connection nor a pooler
 * between us and the server can let two processes apply the same file.
 */
async function applyNext(
  store: Store,
  set: MigrationSet,
  migrations: readonly MigrationFile[],
  log: (message: string) => void,
): Promise<string | undefined> {
  return store.begin(async (sql) => {
    await lockForTransaction(sql, set.lock);
    await ensureRecords(sql, set);
    const recorded = await readRecords(sql, set);
    assertSameHistory(migrations, recorded);
    const next = migrations.find(({ name }) => !recorded.has(name));
    if (next === undefined) return undefined;
    log(`applying migration ${next.name}`);
    try {
      await sql.script(next.text);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new MigrationError("MIGRATION_FAILED", `migration ${next.name} failed: ${reason}`, { cause });
    }
    const records = sql(recordsTable(set));
    await sql`insert into ${records} (name, checksum) values (${next.name}, ${next.checksum})`;
    return next.name;
  });
}

/**
 * Which migrations of a set a database lacks, in order; those that it has and this code does not know are not looked
 * at. For a service that wants to say so when it starts, and applies none.
 */
export async function pendingMigrations(sql: Sql, set: MigrationSet): Promise<string[]> {
  const migrations = await readMigrations(set.directory);
  const recorded = (await hasRecords(sql, set)) ? await readRecords(sql, set) : new Map<string, string>();
  return migrations.map(({ name }) => name).filter((name) => !recorded.has(name));
}

/** A database against the migrations of this code. */
export interface MigrationState {
  /** Those that it lacks, in order. */
  readonly pending: readonly string[];
  /** Those that it has and this code does not know: it is newer. */
  readonly unknown: readonly string[];
  /** Those that were edited after it had applied them. */
  readonly edited: readonly string[];
}

/** Looks only; for somebody who wants to know before anything is started. */
export async function migrationState(sql: Sql, set: MigrationSet = PUBLISHER): Promise<MigrationState> {
  const migrations = await readMigrations(set.directory);
  const recorded = (await hasRecords(sql, set)) ? await readRecords(sql, set) : new Map<string, string>();
  const names = migrations.map(({ name }) => name);
  return {
    pending: names.filter((name) => !recorded.has(name)),
    unknown: [...recorded.keys()].filter((name) => !names.includes(name)),
    edited: migrations
      .filter(({ name, checksum }) => (recorded.get(name) ?? checksum) !== checksum)
      .map(({ name }) => name),
  };
}

function recordsTable({ schema }: MigrationSet): string {
  return schema === undefined ? "schema_migrations" : `${schema}.schema_migrations`;
}

async function hasRecords(sql: Sql, set: MigrationSet): Promise<boolean> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass(${recordsTable(set)}) is not null as exists`;
  return exists;
}

async function ensureRecords(sql: Sql, set: MigrationSet): Promise<void> {
  // Asked for first: "create … if not exists" would say so in a notice at every start.
  if (await hasRecords(sql, set)) return;
  if (set.schema !== undefined) await sql`create schema if not exists ${sql(set.schema)}`;
  await sql`
    create table ${sql(recordsTable(set))} (
      name text collate "C" not null,
      checksum text not null,
      applied_at timestamptz not null default now(),
      constraint schema_migrations_pkey primary key (name)
    )`;
}

async function readRecords(sql: Sql, set: MigrationSet): Promise<Map<string, string>> {
  const rows = await sql<{ name: string; checksum: string }[]>`
    select name, checksum from ${sql(recordsTable(set))} order by name`;
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

function assertSameHistory(
  migrations: readonly MigrationFile[],
  recorded: ReadonlyMap<string, string>,
): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...recorded.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new MigrationError(
      "MIGRATION_UNKNOWN",
      `the database has migrations that this version of Stampede does not know (${unknown.join(", ")}): ` +
        "start the version that applied them, or a later one",
    );
  }
  const edited = migrations.find(({ name, checksum }) => (recorded.get(name) ?? checksum) !== checksum);
  if (edited !== undefined) {
    throw new MigrationError(
      "MIGRATION_EDITED",
      `migration ${edited.name} was edited after this database applied it: ` +
        "restore the file and put the change into a new one",
    );
  }
}
