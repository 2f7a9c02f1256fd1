import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "#contract";
import { explainRefusal } from "#runtime";
import { tryLockForTransaction } from "./advisory-lock.ts";
import { closeStore, connectStore, type Sql, type Store, type Transaction } from "./connect.ts";
import { isLockTimeout } from "./database-errors.ts";
import { findLockHolder } from "./inspect-server.ts";
import { type MigrationFile, type MigrationSet, readMigrations } from "./migration-file.ts";
import {
  ensureRecords,
  incompatibleRecords,
  insertRecord,
  type MigrationRecords,
  readRecords,
  unknownRecords,
} from "./migration-records.ts";
import { giveRights } from "./rights.ts";

export interface MigrationResult {
  /** Names of the migrations that this call applied, in order, without those of another process. */
  readonly applied: string[];
}

/** `MIGRATION_EDITED`, `_UNKNOWN`: code and database do not belong together. `_FAILED`: see `cause`. */
export class MigrationError extends Error {
  readonly code: "MIGRATION_EDITED" | "MIGRATION_UNKNOWN" | "MIGRATION_FAILED";

  constructor(code: MigrationError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MigrationError";
    this.code = code;
  }
}

/*
 * Why our own runner: the maintained ones need the `pg` driver. The one that takes any client (postgrator 8)
 * writes its record outside the migration's transaction, ignores migrations that the database has and the
 * code has not, and calls the undo scripts when the database is ahead. The code that we need fits on two
 * screens.
 */

/**
 * Brings a database to the schema of this code, and gives the services' roles their rights, if it has such roles. Safe
 * to call from several processes at once, and again: then it applies nothing, and gives the same rights. Throws
 * `MigrationError`, or the error of the connection.
 */
export async function migrateSet(
  set: MigrationSet,
  databaseUrl: string,
  log: (message: string) => void,
): Promise<MigrationResult> {
  const migrations = await readMigrations(set.directory);
  // No time-out: building an index on a large table may take long. Three connections: the open transaction,
  // an index that is built concurrently, and the query for the session that this waits for.
  const store = connectStore({
    url: databaseUrl,
    max: 3,
    applicationName: "stampede-migrate",
    statementTimeoutMs: 0,
  });
  try {
    const applied: string[] = [];
    const tellWait = onceEvery(BUSY_TELL_MS, () =>
      log(
        "another process migrates this database: waiting until it is done (application_name stampede-migrate)",
      ),
    );
    for (let failures = 0; ; ) {
      try {
        const step = await applyNext(store, set, migrations, log);
        if (step === "none") {
          await giveRightsSoon(store, set, log, tellWait);
          return { applied };
        }
        if (step === "busy") {
          tellWait();
          await delay(BUSY_MS);
        } else {
          applied.push(step.applied);
        }
        failures = 0;
      } catch (error) {
        if (!(error instanceof MigrationError && isLockTimeout(error.cause)) || ++failures === LOCK_TRIES)
          throw error;
        log(`${(error as Error).message}; trying again (${failures} of ${LOCK_TRIES})`);
        await delay(LOCK_WAIT_MS * (0.5 + Math.random()));
      }
    }
  } finally {
    await closeStore(store);
  }
}

async function giveRightsSoon(
  store: Store,
  set: MigrationSet,
  log: (message: string) => void,
  tellWait: () => void,
): Promise<void> {
  try {
    for (;;) {
      const outcome = await giveRights(store, set);
      if (outcome === "given") log("the services' roles have the rights of this version");
      if (outcome !== "busy") return;
      tellWait();
      await delay(BUSY_MS);
    }
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    if (code !== UNDEFINED_ROLE) throw cause;
    const what = `${message}: run this version's deploy/postgres/roles.sql as an administrator, then this again`;
    throw new MigrationError("MIGRATION_FAILED", what, { cause });
  }
}

/** SQLSTATE undefined_object: of the names in a rights file, only the roles are not created by migrations. */
const UNDEFINED_ROLE = "42704";

/**
 * Milliseconds until the next try while another process migrates. Waiting for its lock in a statement would
 * hold up an index that it builds concurrently.
 */
const BUSY_MS = 100;
/** Another process may build an index for minutes, or hang: the wait is reported every half minute. */
const BUSY_TELL_MS = 30_000;
const HOLDER_LOOK_MS = 1_000;
/**
 * If a migration could not lock a table within `LIMITS.migrationLockMs`, the statements that wait behind it
 * get this many milliseconds.
 */
const LOCK_WAIT_MS = 1_000;
/** One to two minutes in all: longer than any statement of a service. */
const LOCK_TRIES = 50;

/** Calls `tell` at the first call, and then at most once in this number of milliseconds. */
function onceEvery(ms: number, tell: () => void): () => void {
  let next = 0;
  return () => {
    const now = performance.now();
    if (now < next) return;
    next = now + ms;
    tell();
  };
}

/**
 * Applies one migration and writes its record, in one transaction. Each transaction takes the lock again and
 * reads the records under it, so neither a lost connection nor a pooler between us and the server can make
 * two processes apply the same file.
 *
 * A session that waits for a table's lock holds up all later ones, including readers. So a migration waits no
 * longer than `LIMITS.migrationLockMs`, then undoes all of its work and begins again.
 */
async function applyNext(
  store: Store,
  set: MigrationSet,
  migrations: readonly MigrationFile[],
  log: (message: string) => void,
): Promise<"none" | "busy" | { readonly applied: string }> {
  return store.begin(async (sql) => {
    if (!(await tryLockForTransaction(sql, set.lock))) return "busy";
    await sql.script(`set local lock_timeout = ${LIMITS.migrationLockMs}`);
    await ensureRecords(sql, set);
    const records = await readRecords(sql, set);
    assertSameHistory(migrations, records, log);
    const next = migrations.find(({ name }) => !records.has(name));
    if (next === undefined) return "none";
    log(`applying migration ${next.name}`);
    try {
      if (next.concurrent === undefined) await sql.script(next.text);
      else await runBeside(store, sql, next.concurrent, log);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new MigrationError("MIGRATION_FAILED", `migration ${next.name} failed: ${reason}`, { cause });
    }
    await insertRecord(sql, set, next);
    return { applied: next.name };
  });
}

/**
 * Runs statements outside of a transaction that is open and idle meanwhile and holds the lock of the
 * migrations. After a crash before that transaction's commit, the statements are run again.
 */
async function runBeside(
  store: Store,
  transaction: Transaction,
  statements: readonly string[],
  log: (message: string) => void,
): Promise<void> {
  // Ends the portal of the last query, whose snapshot would otherwise stay open: building an index
  // concurrently waits for all older snapshots, so it would wait for this one for ever.
  await transaction.script("select");
  // An index that is built concurrently waits for every older transaction, that of a `pg_dump` for hours.
  let nextTell = 0;
  const looking = setInterval(async () => {
    if (performance.now() < nextTell) return;
    // If the server does not answer, the migration fails with the reason.
    const holder = await findLockHolder(store).catch(() => undefined);
    if (holder === undefined) return;
    nextTell = performance.now() + BUSY_TELL_MS;
    const { said, mend } = explainRefusal(undefined, holder);
    log(`waiting: ${said}; ${mend}`);
  }, HOLDER_LOOK_MS);
  try {
    for (const statement of statements) await store.script(statement);
  } finally {
    clearInterval(looking);
  }
}

/** A database compared with the migrations of this code. */
export interface MigrationState {
  /** Migrations that it lacks, in order. */
  readonly pending: readonly string[];
  /** Migrations that it has and this code does not know: the database is newer. */
  readonly unknown: readonly string[];
  /** Migrations that were edited after it had applied them. */
  readonly edited: readonly string[];
}

/** Reads only; for a check before anything is started. */
export async function migrationState(sql: Sql, set: MigrationSet): Promise<MigrationState> {
  const migrations = await readMigrations(set.directory);
  const records = await readRecords(sql, set);
  return {
    pending: namesOf(migrations.filter(({ name }) => !records.has(name))),
    unknown: namesOf(unknownRecords(migrations, records)),
    edited: namesOf(editedSince(migrations, records)),
  };
}

function namesOf(named: readonly { readonly name: string }[]): string[] {
  return named.map(({ name }) => name);
}

function editedSince(migrations: readonly MigrationFile[], records: MigrationRecords): MigrationFile[] {
  return migrations.filter(({ name, checksum }) => (records.get(name)?.checksum ?? checksum) !== checksum);
}

/**
 * A database that is ahead of this code is left unchanged, if this code can work on it: after a release is
 * taken back, its `migrate` must still succeed.
 */
function assertSameHistory(
  migrations: readonly MigrationFile[],
  records: MigrationRecords,
  log: (message: string) => void,
): void {
  const unknown = unknownRecords(migrations, records);
  const names = namesOf(unknown).join(", ");
  const isBehind = migrations.some(({ name }) => !records.has(name));
  if (unknown.length > 0 && unknown.length === records.size) {
    throw new MigrationError(
      "MIGRATION_UNKNOWN",
      `the database has none of this version's migrations and others instead (${names}): it was made before the ` +
        "first release or is of something else, and nothing leads from there to here. Start with an empty database; " +
        "for the all-in-one start, with an empty STAMPEDE_DATA_DIR",
    );
  }
  if (unknown.length > 0 && (isBehind || incompatibleRecords(migrations, records).length > 0)) {
    throw new MigrationError(
      "MIGRATION_UNKNOWN",
      `the database has migrations that this version of Stampede does not know (${names}): ` +
        "start the version that applied them, or a later one",
    );
  }
  if (unknown.length > 0) log(`the database is ahead of this version, which can work on it (${names})`);
  const [edited] = editedSince(migrations, records);
  if (edited !== undefined) {
    throw new MigrationError(
      "MIGRATION_EDITED",
      `migration ${edited.name} was edited after this database applied it: ` +
        "restore the file and put the change into a new one",
    );
  }
}
