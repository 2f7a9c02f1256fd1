import { lockForTransaction } from "./advisory-lock.ts";
import { closeStore, connectStore, type Sql, type Store } from "./connect.ts";
import { MIGRATIONS_DIRECTORY, type MigrationFile, readMigrations } from "./migration-file.ts";

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
  return migrateFrom(MIGRATIONS_DIRECTORY, databaseUrl, log);
}

/*
 * Why our own: the runners that are kept up want the `pg` driver, and the one that takes any client
 * (postgrator 8) writes its record outside the migration's transaction, does not look at migrations the
 * database has and the code has not, and calls the undo scripts when the database is ahead. What is needed
 * fits on two screens.
 */
export async function migrateFrom(
  directory: string,
  databaseUrl: string,
  log: (message: string) => void,
): Promise<MigrationOutcome> {
  const migrations = await readMigrations(directory);
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
      const name = await applyNext(store, migrations, log);
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
  migrations: readonly MigrationFile[],
  log: (message: string) => void,
): Promise<string | undefined> {
  return store.begin(async (sql) => {
    await lockForTransaction(sql, "migrate");
    const recorded = await readRecords(sql);
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
    await sql`insert into schema_migrations (name, checksum) values (${next.name}, ${next.checksum})`;
    return next.name;
  });
}

async function readRecords(sql: Sql): Promise<Map<string, string>> {
  // Asked for first: "create … if not exists" would say so in a notice at every start.
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('schema_migrations') is not null as exists`;
  if (!exists) {
    await sql`
      create table schema_migrations (
        name text collate "C" not null,
        checksum text not null,
        applied_at timestamptz not null default now(),
        constraint schema_migrations_pkey primary key (name)
      )`;
  }
  const rows = await sql<{ name: string; checksum: string }[]>`
    select name, checksum from schema_migrations order by name`;
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
