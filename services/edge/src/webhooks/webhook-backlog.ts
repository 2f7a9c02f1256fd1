import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";
import { eventsBetween, isPending } from "#publisher-db";

/** The events that wait for a webhook. */
export interface WebhookBacklog {
  /**
   * Events that it has not received, counted up to `LIMITS.pendingEventsCounted`; a replayed event counts
   * again.
   */
  readonly pendingEvents: number;
  /** When the oldest of them happened, or was put into the next delivery; null: none waits. */
  readonly oldestPendingAt: Date | null;
}

/**
 * The events that wait for a webhook in any state: events in pending deliveries, events that a replay has
 * still to put into deliveries, and events after its cursor that the horizon has passed, including those on
 * their first way. undefined: the organisation has no such webhook.
 *
 * However many wait, it reads only as many events as it counts, and one of each type for the oldest: a
 * webhook with millions of waiting events costs some milliseconds.
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

/**
 * Events of pending deliveries of the queue `q`, next ones first, without swept events, which are not sent
 * any more.
 */
function inDeliveries(sql: Sql): Fragment {
  return sql`
    select 1
    from (
      select d.event_sequences from webhook_deliveries d where ${isPending(sql)} order by d.place, d.part
    ) next
    cross join lateral unnest(next.event_sequences) as of (sequence)
    cross join lateral (select from events e where e.sequence = of.sequence limit 1) kept`;
}

/** Events in no stored delivery yet, at most this many of each type. The index alone has all columns. */
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
