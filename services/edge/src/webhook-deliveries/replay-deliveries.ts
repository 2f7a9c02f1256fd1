import { LIMITS } from "#contract";
import type { Fragment, Sql, Store } from "#postgres";
import { insertDeliveries } from "#publisher-db";

/** One replay sends at most so many events again, the oldest ones; the caller is told how many they were. */
const EVENTS_PER_REPLAY = 1_000_000;

/**
 * By id, whatever their type; or by when they happened (`since` inclusive, `until` exclusive), of the types that the
 * webhook subscribes to; or all events of deliveries that failed and were not replayed since.
 */
export type ReplayedEvents =
  | { readonly ids: readonly string[] }
  | { readonly since: Date; readonly until?: Date | undefined }
  | "failed";

interface ReplayRequest {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly events: ReplayedEvents;
}

/**
 * Makes deliveries of events that a webhook had before, in order and behind its pending ones, and makes the webhook due.
 * Gives the number of events; undefined if the organisation has no such webhook. Events that the webhook has not got to yet
 * are left out: they will come anyway, and now they would come out of order.
 *
 * The queue is locked by a statement of its own, so that places are given in the order in which they are seen: the
 * dispatcher, which locks it too, does not move past a place that is not committed.
 */
export async function replayDeliveries(
  store: Store,
  { organisationId, webhookId, events }: ReplayRequest,
): Promise<number | undefined> {
  return store.begin(async (sql) => {
    const [queue] = await sql<{ passed: number }[]>`
      select case
               -- Those that are on their way count as had: they come before what is queued here.
               when cursor < announced then coalesce(taken[cardinality(taken)], cursor)
               else greatest(cursor, (select sequence from webhook_horizon))
             end as passed
      from webhook_queues
      where webhook_id = ${webhookId} and organisation_id = ${organisationId}
      for update`;
    if (queue === undefined) return undefined;
    const made = sql`(
      select q.webhook_id, q.organisation_id, q.last_place + f.nth as place, 0 as part,
             null::uuid as split_from,
             array_agg(f.sequence order by f.sequence) as event_sequences
      from webhook_queues q cross join found f
      where q.webhook_id = ${webhookId}
      group by q.webhook_id, q.organisation_id, q.last_place, f.nth
      order by f.nth
    ) as made`;
    const [{ queued }] = await sql<[{ queued: number }]>`
      with ${selectEvents(sql, { organisationId, webhookId, events })},
      found as materialized (
        select sequence, 1 + (row_number() over (order by sequence) - 1) / ${LIMITS.eventsPerDelivery}::int as nth
        from chosen
        where sequence <= ${queue.passed}
        order by sequence
        limit ${EVENTS_PER_REPLAY}
      ),
      made as (
        ${insertDeliveries(sql, made)}
      ),
      moved as (
        update webhook_queues q
        set last_place = q.last_place + f.deliveries,
            last_part = 0,
            due_at = case when q.enabled then coalesce(q.due_at, now()) end
        from (select max(nth) as deliveries from found) f
        where q.webhook_id = ${webhookId} and f.deliveries is not null
      )
      select count(*) as queued from found`;
    return queued;
  });
}

/** The events to replay as common table expressions; the last is `chosen`, with each `sequence` once. */
function selectEvents(sql: Sql, { organisationId, webhookId, events }: ReplayRequest): Fragment {
  if (events === "failed") {
    return sql`
      replayed as (
        update webhook_deliveries set replayed_at = now()
        where webhook_id = ${webhookId} and failed_at is not null and replayed_at is null and place is not null
        returning event_sequences
      ),
      chosen as (
        select distinct e.sequence
        from replayed r cross join unnest(r.event_sequences) as e (sequence)
      )`;
  }
  if ("ids" in events) {
    return sql`
      chosen as (
        select sequence from events
        where id = any(${events.ids}::uuid[]) and organisation_id = ${organisationId}
      )`;
  }
  return sql`
    chosen as (
      select sequence from events
      where organisation_id = ${organisationId} and at >= ${events.since}
        ${events.until === undefined ? sql`` : sql`and at < ${events.until}`}
        and type = any((select events from webhooks where id = ${webhookId})::text[])
    )`;
}
