import { assertSchema, type MigrationSet, migrationsDirectory, rightsFileOf, type Sql } from "#postgres";

export const PUBLISHER_SCHEMA: MigrationSet = {
  directory: migrationsDirectory("publisher-db"),
  rightsFile: rightsFileOf("publisher-db"),
  lock: "migrate",
};

/** For a service that starts and applies no migrations itself. Throws like `assertSchema`. */
export async function assertPublisherSchema(sql: Sql): Promise<void> {
  await assertSchema(sql, PUBLISHER_SCHEMA, "the database");
}
