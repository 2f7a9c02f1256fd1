import {
  assertSchema,
  compareRights,
  type MigrationSet,
  type MigrationState,
  migrationState,
  migrationsDirectory,
  type RightsReport,
  rightsFileOf,
  type Sql,
} from "#postgres";

export const PUBLISHER: MigrationSet = {
  directory: migrationsDirectory("publisher-db"),
  rightsFile: rightsFileOf("publisher-db"),
  lock: "migrate",
};

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
