import { closeStore, connectStore, type MigrationOutcome, migrateSet } from "#postgres";
import { expandSubscriptions } from "./expand-subscriptions.ts";
import { PUBLISHER } from "./publisher-schema.ts";

/**
 * Brings the publisher's tables to the schema of this code, and gives the services' roles their rights. Webhooks that asked for
 * events by a pattern get the types of this code. Safe to call from several processes at once, and again: then it applies
 * nothing. Throws `MigrationError`, or the error of the connection.
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
