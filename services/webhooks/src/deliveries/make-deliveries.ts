import { LIMITS } from "#contract";
import type { Fragment, Sql, Store } from "#postgres";
import { hasPending, insertDeliveries } from "#publisher-db";
import type { OwnedWebhooks } from "./leases.ts";

/** How many of its organisation's events are looked at for one webhook at a time, whether it wants them or not. */
const EVENTS_SCANNED = 10_000;

interface MadeDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly place: number;
  readonly sequences: readonly number[];
}

export interface DeliveryRequest extends OwnedWebhooks {
  /** How many deliveries for each webhook at most. */
  readonly perWebhook: number;
}

/**
 * Puts the next events that each webhook wants into deliveries, for those webhooks that have none pending, and moves the
 * cursors past these events. A webhook that wants few of many events may get none; then its cursor has still moved on.
 *
 * The queues are locked by a statement of their own. One statement that had to wait for the lock would see in the row how far
 * events are announced, but not those events in its snapshot, and would pass them over; or it would make deliveries beside
 * those of a replay that it does not see. Of two calls at one time the second finds deliveries pending, and makes none.
 */
export async function makeDeliveries(
  store: Store,
  { owner, webhookIds, perWebhook }: DeliveryRequest,
): Promise<MadeDelivery[]> {
  const wanted = perWebhook * LIMITS.eventsPerDelivery;
  return store.begin(async (sql) => {
    const held = await sql<{ id: string }[]>`
      select q.webhook_id as id from webhook_queues q
      where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner} and q.enabled
        and not ${hasPending(sql)} and q.cursor < q.announced
      order by q.webhook_id
      for update`;
    if (held.length === 0) return [];
    const ready = held.map(({ id }) => id);
    const made = sql`(
      select f.webhook_id, f.organisation_id, f.last_place + f.nth as place, 0 as part,
             array_agg(f.sequence order by f.sequence) as event_sequences
      from found f
      group by f.webhook_id, f.organisation_id, f.last_place, f.nth
      order by f.webhook_id, f.nth
    ) as made`;
    return sql<MadeDelivery[]>`
      with ${findEvents(sql, ready, wanted)},
      made as (
        ${insertDeliveries(sql, made)}
        returning id, webhook_id, place, event_sequences
      ),
      reached as (
        select q.webhook_id, count(f.sequence) as events, max(f.sequence) as last, coalesce(max(f.nth), 0) as deliveries
        from queue q left join found f using (webhook_id)
        group by q.webhook_id
      ),
      moved as (
        update webhook_queues q
        set cursor = case
              when r.events = ${wanted} then r.last
              else coalesce(
                (
                  select sequence from events e
                  where e.organisation_id = q.organisation_id and e.sequence > q.cursor and e.sequence <= q.announced
                  order by sequence
                  offset ${EVENTS_SCANNED - 1} limit 1
                ),
                q.announced
              )
            end,
            last_place = q.last_place + r.deliveries,
            last_part = case when r.deliveries > 0 then 0 else q.last_part end
        from reached r
        where q.webhook_id = r.webhook_id
      )
      select id, webhook_id as "webhookId", place, event_sequences as sequences
      from made
      order by webhook_id, place`;
  });
}

/** The events that each `queue` goes on with are `found`, each with the `nth` delivery that it goes into. */
function findEvents(sql: Sql, webhookIds: readonly string[], wanted: number): Fragment {
  return sql`
    queue as materialized (
      select q.webhook_id, q.organisation_id, q.cursor, q.announced, q.last_place, w.events
      from webhook_queues q join webhooks w on w.id = q.webhook_id
      where q.webhook_id = any(${webhookIds}::uuid[])
    ),
    found as materialized (
      select q.webhook_id, q.organisation_id, q.last_place, e.sequence,
             1 + (row_number() over (partition by q.webhook_id order by e.sequence) - 1)
               / ${LIMITS.eventsPerDelivery}::int as nth
      from queue q cross join lateral (
        select s.sequence
        from (
          select sequence, type from events
          where organisation_id = q.organisation_id and sequence > q.cursor and sequence <= q.announced
          order by sequence
          limit ${EVENTS_SCANNED}
        ) s
        where s.type = any(q.events)
        order by s.sequence
        limit ${wanted}
      ) e
    )`;
}
