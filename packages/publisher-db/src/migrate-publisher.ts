import {
  assertSchema,
  compareRights,
  type MigrationOutcome,
  type MigrationSet,
  type MigrationState,
  migrateSet,
  migrationState,
  migrationsDirectory,
  type RightsReport,
  rightsFileOf,
  type Sql,
} from "#postgres";

const PUBLISHER: MigrationSet = {
  directory: migrationsDirectory("publisher-db"),
  rightsFile: rightsFileOf("publisher-db"),
  lock: "migrate",
};

/**
 * Brings the publisher's tables to the schema of this code, and gives the services' roles their rights. Safe to call from several processes at once, and
 * again: then it applies nothing. Throws `MigrationError`, or the error of the connection.
 */
export async function migratePublisher(
  databaseUrl: string,
  log: (message: string) => void = () => {},
): Promise<MigrationOutcome> {
  return migrateSet(PUBLISHER, databaseUrl, log);
}

/** Compares the publisher's tables with the migrations of this code. */
export async function publisherMigrationState(sql: Sql): Promise<MigrationState> {
  return migrationState(sql, PUBLISHER);
}

/** For a service that starts and applies no migrations itself. Throws like `assertSchema`. */
export async function assertPublisherSchema(sql: Sql): Promise<void> {
  await assertSchema(sql, PUBLISHER, "the database");
}

/** Compares what the services' roles may do here with the rights of this code. */
export async function publisherRights(sql: Sql): Promise<RightsReport> {
  return compareRights(sql, PUBLISHER);
}
