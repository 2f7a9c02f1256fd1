import { EVENT_TYPES, eventTypesOf } from "#contract";
import type { Sql } from "#postgres";

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
