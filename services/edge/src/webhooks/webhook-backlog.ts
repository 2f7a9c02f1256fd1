import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";
import { eventsBetween, isPending } from "#publisher-db";

/** What waits for a webhook. */
export interface WebhookBacklog {
  /** Events that it has not got, counted up to `LIMITS.pendingEventsCounted`; one that is sent again by a replay counts again. */
  readonly pendingEvents: number;
  /** When the oldest of them happened, or was put into the delivery that is next; null: nothing waits. */
  readonly oldestPendingAt: Date | null;
}

/**
 * The events that wait for a webhook in any state: events in deliveries that are pending, those that a replay
 * has still to put into some, and those behind its cursor that the horizon has passed, among them what is on
 * its way for the first time. undefined: the organisation has no such webhook.
 *
 * However much waits, it looks at so many events as it counts, and at one of each type for the oldest: a webhook that millions
 * of events wait for costs some milliseconds.
 */
export async function measureWebhookBacklog(
  sql: Sql,
  organisationId: string,
  webhookId: string,
  most: number = LIMITS.pendingEventsCounted,
): Promise<WebhookBacklog | undefined> {
  const [backlog] = await sql<WebhookBacklog[]>`
    select least(
             ${most}::bigint,
             (
               select count(*) from (
                 (${inDeliveries(sql)} limit ${most}) union all (${behindCursor(sql, most)} limit ${most})
                 limit ${most}
               ) waiting
             ) + (select coalesce(sum(r.events), 0)::bigint from webhook_replays r where r.webhook_id = q.webhook_id)
           ) as "pendingEvents",
           least(
             (
               select d.created_at from webhook_deliveries d
               where ${isPending(sql)}
               order by d.place, d.part
               limit 1
             ),
             (${firstBehindCursor(sql)})
           ) as "oldestPendingAt"
    from (
      -- A stopped webhook is not told of events, and they collect all the same.
      select q.*, case when q.enabled and not q.untold then q.announced else h.sequence end as upto
      from webhook_queues q cross join webhook_horizon h
    ) q
    join webhooks w on w.id = q.webhook_id
    where q.webhook_id = ${webhookId} and w.organisation_id = ${organisationId}`;
  return backlog;
}

/** Events of pending deliveries of the queue `q`, next ones first; those that were swept are not sent any more. */
function inDeliveries(sql: Sql): Fragment {
  return sql`
    select 1
    from (
      select d.event_sequences from webhook_deliveries d where ${isPending(sql)} order by d.place, d.part
    ) next
    cross join lateral unnest(next.event_sequences) as of (sequence)
    cross join lateral (select from events e where e.sequence = of.sequence limit 1) kept`;
}

/** Events that are in no delivery yet which has a row: so many of each type at most. The index alone has all of it. */
function behindCursor(sql: Sql, limit: number): Fragment {
  return sql`
    select 1
    from unnest(w.events) as wanted (type) cross join lateral (
      select e.sequence from events e where ${ofQueue(sql)} limit ${limit}
    ) fresh`;
}

/** When the first of them happened. */
function firstBehindCursor(sql: Sql): Fragment {
  return sql`
    select fresh.at
    from unnest(w.events) as wanted (type) cross join lateral (
      select e.sequence, e.at from events e where ${ofQueue(sql)} limit 1
    ) fresh
    order by fresh.sequence
    limit 1`;
}

function ofQueue(sql: Sql): Fragment {
  return eventsBetween(sql, {
    organisationId: sql`q.organisation_id`,
    type: sql`wanted.type`,
    after: sql`q.cursor`,
    upto: sql`q.upto`,
  });
}
