import {
  type MigrationResult,
  type MigrationSet,
  migrateSet,
  migrationsDirectory,
  rightsFileOf,
} from "#postgres";

export const PLATFORM_SCHEMA: MigrationSet = {
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
  return migrateSet(PLATFORM_SCHEMA, databaseUrl, log);
}
