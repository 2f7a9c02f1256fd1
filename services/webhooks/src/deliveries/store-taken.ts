import { LIMITS } from "#contract";
import type { Sql } from "#postgres";
import { derivedId, waitingEvents } from "#publisher-db";
import type { OwnedWebhooks } from "./leased-webhook.ts";
import { without } from "./leases.ts";

/**
 * Makes rows of deliveries that were taken without rows, for the webhooks that belong to this owner. From
 * then on they are pending, with the events and the ids that they were sent with, or would have been. This is
 * needed in three cases:
 *
 * - A delivery failed, or was split: its row keeps the schedule.
 * - The process that took them died, or lost its lease, between request and record.
 * - The process lost the answer to the statement that took them, and asks again.
 *
 * Events that were swept meanwhile are left out. A change of the webhook's types changes nothing: the queue
 * keeps the types by which the deliveries were taken. Only those taken before migration 0011 have none. Then a
 * change of types changes the ids; if a delivery would get too many events, none of them is repeated, and all
 * events are cut again.
 *
 * A queue that another session has locked is left unchanged. So is one that was changed meanwhile and names
 * events that this statement does not see.
 * @returns the webhooks that still have such deliveries: nothing may be recorded of these
 */
export async function storeTaken(sql: Sql, { owner, webhookIds }: OwnedWebhooks): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const most = LIMITS.eventsPerDelivery;
  const stored = await sql<{ id: string }[]>`
    with held as materialized (
      select q.webhook_id, q.organisation_id, q.cursor, q.done_place, q.taken, q.taken_at,
             case when q.taken_upto = q.taken[cardinality(q.taken)] then q.taken_types end as types
      from webhook_queues q
      where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner}
        and q.taken[cardinality(q.taken)] <= (select sequence from webhook_horizon)
      order by q.webhook_id
      for update skip locked
    ),
    ends as (
      select h.webhook_id, h.organisation_id, h.taken_at, h.types, h.done_place + e.nth as place, e.sequence as announced,
             lag(e.sequence, 1, h.cursor) over (partition by h.webhook_id order by e.nth) as cursor
      from held h cross join unnest(h.taken) with ordinality as e (sequence, nth)
    ),
    again as materialized (
      select q.webhook_id, q.organisation_id, q.taken_at, q.place, f.sequences,
             bool_and(coalesce(cardinality(f.sequences), 0) <= ${most}::int) over (partition by q.webhook_id) as fits
      from ends q join webhooks w on w.id = q.webhook_id cross join lateral (
        select array_agg(e.sequence order by e.sequence) as sequences
        from (${waitingEvents(sql, { types: sql`coalesce(q.types, w.events)`, limit: most + 1 })}) e
      ) f
    ),
    made as (
      insert into webhook_deliveries (id, webhook_id, organisation_id, created_at, place, event_sequences)
      select ${derivedId(sql, {
        webhookId: sql`a.webhook_id`,
        place: sql`a.place`,
        sequences: sql`a.sequences`,
        at: sql`a.taken_at`,
      })},
        a.webhook_id, a.organisation_id, a.taken_at, a.place, a.sequences
      from again a
      where a.fits and a.sequences is not null
      order by a.webhook_id, a.place
    )
    update webhook_queues q
    set cursor = case when a.fits then q.taken[cardinality(q.taken)] else q.cursor end,
        taken = null,
        taken_at = null,
        taken_types = null,
        taken_upto = null
    from (select distinct webhook_id, fits from again) a
    where q.webhook_id = a.webhook_id
    returning q.webhook_id as id`;
  const ids = stored.map(({ id }) => id);
  const missing = without(webhookIds, ids);
  if (missing.length === 0) return [];
  const left = await sql<{ id: string }[]>`
    select webhook_id as id from webhook_queues
    where webhook_id = any(${missing}::uuid[]) and owner = ${owner} and taken is not null`;
  return left.map(({ id }) => id);
}
