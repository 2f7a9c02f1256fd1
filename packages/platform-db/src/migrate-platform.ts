import {
  assertSchema,
  compareRights,
  type MigrationResult,
  type MigrationSet,
  type MigrationState,
  migrateSet,
  migrationState,
  migrationsDirectory,
  type RightsReport,
  rightsFileOf,
  type Sql,
} from "#postgres";

const PLATFORM: MigrationSet = {
  directory: migrationsDirectory("platform-db"),
  rightsFile: rightsFileOf("platform-db"),
  schema: "platform",
  lock: "migratePlatform",
};

/**
 * Brings the platform's tables to the schema of this code, all of them in the schema `platform`; the database
 * may be a publisher's. Safe to call from several processes at once, and again. Throws like `migrateSet` of
 * `#postgres`.
 */
export async function migratePlatform(
  databaseUrl: string,
  log: (message: string) => void = () => {},
): Promise<MigrationResult> {
  return migrateSet(PLATFORM, databaseUrl, log);
}

/** Compares the platform's tables with the migrations of this code. */
export async function platformMigrationState(sql: Sql): Promise<MigrationState> {
  return migrationState(sql, PLATFORM);
}

/** Like `assertSchema` of `#postgres`, for the platform's tables. */
export async function assertPlatformSchema(sql: Sql): Promise<void> {
  await assertSchema(sql, PLATFORM, "the platform's database");
}

/** Compares what the services' roles may do here with the rights of this code. */
export async function platformRights(sql: Sql): Promise<RightsReport> {
  return compareRights(sql, PLATFORM);
}
