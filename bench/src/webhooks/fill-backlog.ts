import type { Store } from "#postgres";
import { EVENT_TYPE, eventBody } from "./bench-event.ts";

const ROWS_PER_STATEMENT = 100_000;

/** Stores events of one organisation, numbered from 1, as if they had been written over time. Nobody else writes then. */
export async function fillBacklog(store: Store, organisationId: string, events: number): Promise<void> {
  const template = eventBody("@event", "@transaction", "@number");
  for (let first = 1; first <= events; first += ROWS_PER_STATEMENT) {
    const last = Math.min(events, first + ROWS_PER_STATEMENT - 1);
    // Digits are TypeIDs too. Ids that rise, as UUIDv7 do.
    await store`
      insert into events (id, organisation_id, type, at, transaction_id, body)
      select lpad(to_hex(number), 32, '0')::uuid, ${organisationId}::uuid, ${EVENT_TYPE}::text, now(),
             lpad(to_hex(number), 32, '0')::uuid,
             replace(
               replace(
                 replace(${template}::text, '@event', 'evt_' || lpad(number::text, 26, '0')),
                 '@transaction', 'tx_' || lpad(number::text, 26, '0')
               ),
               '@number', number::text
             )
      from generate_series(${first}::int, ${last}::int) as number
      order by number`;
  }
}
