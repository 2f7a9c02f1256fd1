import { EVENT_TYPES, eventTypesOf } from "#contract";
import { closeStore, connectStore, type MigrationResult, migrateSet, type Sql } from "#postgres";
import { PUBLISHER_SCHEMA } from "./publisher-schema.ts";

/**
 * Brings the publisher's tables to the schema of this code, and gives the services' roles their rights. Webhooks that asked for
 * events by a pattern get the types of this code. Safe to call from several processes at once, and again: then it applies
 * nothing. Throws `MigrationError`, or the error of the connection.
 */
export async function migratePublisher(
  databaseUrl: string,
  log: (message: string) => void = () => {},
): Promise<MigrationResult> {
  const outcome = await migrateSet(PUBLISHER_SCHEMA, databaseUrl, log);
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-migrate" });
  try {
    const expanded = await store.begin((sql) => expandSubscriptions(sql));
    if (expanded > 0) log(`${expanded} webhooks get the types of events that they asked for by a pattern`);
  } finally {
    await closeStore(store);
  }
  return outcome;
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
    // A trigger sets `asked` when only the types change.
    await sql`update webhooks set asked = ${asked}::text[] where id = ${id}`;
  }
  return changed.length;
}
