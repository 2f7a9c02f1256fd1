import { closeStore, connectStore, type MigrationOutcome, migrateSet, type Sql } from "#postgres";
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
    await keepStopped(store);
    if (expanded > 0) log(`${expanded} webhooks get the types of events that they asked for by a pattern`);
  } finally {
    await closeStore(store);
  }
  return outcome;
}

/**
 * A stopped webhook's queue always has something to look for, so that no announcement moves its cursor past what nobody told it
 * (migration 0011). One that was stopped before that has nothing, and an older process that is started later would pass over
 * its events. Its cursor stays where it is: nothing is known to be behind it.
 */
export async function keepStopped(sql: Sql): Promise<void> {
  await sql`update webhook_queues set announced = cursor + 1 where not enabled and cursor >= announced`;
}
