import { EVENT_TYPES, eventTypesOf } from "#contract";
import { closeStore, connectStore, type MigrationOutcome, migrateSet, type Sql } from "#postgres";
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

/**
 * Subscribes webhooks that asked for a family of events, or for all, to the types that this version adds. Part of `stampede
 * migrate`, so that it is done before a process of this version writes such an event.
 * @returns how many webhooks got a type
 */
export async function expandSubscriptions(sql: Sql, types: readonly string[] = EVENT_TYPES): Promise<number> {
  const webhooks = await sql<{ id: string; events: string[]; asked: string[] }[]>`
    select id, events, asked from webhooks where asked is not null order by id for no key update`;
  const changed = webhooks
    .map(({ id, events, asked }) => ({ id, events, asked, wanted: eventTypesOf(asked, types) }))
    .filter(({ events, wanted }) => wanted.join() !== events.join());
  for (const { id, asked, wanted } of changed) {
    await sql`update webhooks set events = ${wanted}::text[] where id = ${id}`;
    // Who changes the types and nothing else has asked for these types: a trigger says so.
    await sql`update webhooks set asked = ${asked}::text[] where id = ${id}`;
  }
  return changed.length;
}
