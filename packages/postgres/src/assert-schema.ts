import { type ServiceContext, StartError } from "#runtime";
import { ADVISORY_LOCKS } from "./advisory-lock.ts";
import type { Sql } from "./connect.ts";
import { isDatabaseAway } from "./database-errors.ts";
import { type MigrationSet, readMigrations } from "./migration-file.ts";
import { incompatibleRecords, readRecords } from "./migration-records.ts";

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * For a service that starts and applies no migrations itself. A database that is ahead is fine, so that an
 * upgrade can migrate first and a release can be taken back, unless one of its migrations says that older
 * code cannot work on it.
 * @param whose names the database in the operator's message, such as "the database"
 * @throws StartError like `assertLetIn`; `not_migrated` if the database is behind, `schema_too_new` if it is
 * too far ahead, `database_rights` if this role may not read its migrations: a new table is readable only by
 * its owner
 */
export async function assertSchema(sql: Sql, set: MigrationSet, whose: string): Promise<void> {
  await assertLetIn(sql);
  const migrations = await readMigrations(set.directory);
  const records = await readRecords(sql, set).catch((error) => {
    throw explainRights(error, whose);
  });
  const pending = migrations.filter(({ name }) => !records.has(name)).map(({ name }) => name);
  if (pending.length > 0) {
    throw new StartError(
      "not_migrated",
      `${whose} lacks migrations (${pending.join(", ")}): run \`stampede migrate\` first`,
      { passes: await isBeingMigrated(sql, set) },
    );
  }
  const [wrong] = incompatibleRecords(migrations, records);
  if (wrong === undefined) return;
  throw new StartError(
    "schema_too_new",
    `${whose} has migration ${wrong.name}, on which this version cannot work (${wrong.incompatibleReason}): ` +
      "start the version that applied it, or a later one",
  );
}

/**
 * The checks of a service at its start, with `assertSchema` first. Waits for a database that is away, even if
 * it goes away in between, or that is being migrated.
 * @throws StartError like `assertSchema`, immediately
 */
export function awaitSchema<T>(
  { waiting }: Pick<ServiceContext, "waiting">,
  sql: Sql,
  assert: (sql: Sql) => Promise<T>,
): Promise<T> {
  return waiting.until("PostgreSQL", () => assert(sql), isDatabaseAway);
}

/** Whether a migration is under way. Each migration takes the lock again: in between it may be free. */
async function isBeingMigrated(sql: Sql, { lock }: MigrationSet): Promise<boolean> {
  const [row] = await sql<[{ held: boolean }]>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and classid::bigint = ${ADVISORY_LOCKS[lock]} and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
    ) as held`;
  return row.held;
}

function explainRights(error: unknown, whose: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== INSUFFICIENT_PRIVILEGE) return error;
  return new StartError(
    "database_rights",
    `${whose} does not show this role its migrations (${message}): run \`stampede migrate\` as stampede_owner, which gives rights`,
    { cause: error },
  );
}

/** SQLSTATEs of faults that last until the operator changes something. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  "28000": "PostgreSQL does not let this user in",
  "28P01": "PostgreSQL does not let this user in",
  "3D000": "PostgreSQL has no such database",
  "42501": "PostgreSQL does not let this user into the database",
};

/**
 * Asks the database once, so that a wrong password or certificate is one line at the start. Ignores a server
 * that is away, because it may be back soon.
 * @throws StartError
 */
export async function assertLetIn(sql: Sql): Promise<void> {
  try {
    await sql`select current_setting('server_version')`;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code.startsWith("TLS_")) throw new StartError("database_tls", message, { cause: error });
    const what = EXPLANATIONS[code];
    if (what === undefined) return;
    const why = `${what} (${message}): check DATABASE_URL, and that deploy/postgres/roles.sql was run`;
    throw new StartError("database_login", why, { cause: error });
  }
}
