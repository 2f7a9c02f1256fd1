import {
  assertSchema,
  closeStore,
  compareRights,
  connectStore,
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
import { expandSubscriptions } from "./expand-subscriptions.ts";

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
  const outcome = await migrateSet(PUBLISHER, databaseUrl, log);
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-migrate" });
  try {
    const expanded = await store.begin((sql) => expandSubscriptions(sql));
    if (expanded > 0) log(`${expanded} webhooks get the types of events that they asked for by a pattern`);
  } finally {
    await closeStore(store);
  }
  return outcome;
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
