import { LIMITS } from "#contract";
import { MAX_UUID, NIL_UUID } from "#domain";
import type { Fragment, Sql } from "#postgres";
import { insertDeliveries } from "./deliveries.ts";

/** The position of a webhook's queue while its row is locked. */
interface QueuePosition {
  /**
   * The last event up to which the webhook has received the events that it wants, or they are on their way.
   */
  readonly passed: number;
  readonly announced: number;
  readonly lastPlace: number;
  /** The number of places of its deliveries that are not settled. */
  readonly pending: number;
}

/**
 * Locks the queue of a webhook; undefined: there is none, or it belongs to another organisation.
 *
 * The lock is its own statement, so that places are assigned in the order in which they are seen: the dispatcher, which takes it
 * too, does not move past a place that is not committed. Other sessions wait for this lock, so searches come before it.
 */
export function lockQueue(
  sql: Sql,
  webhookId: string,
  organisationId: string,
): Promise<QueuePosition | undefined> {
  return lockOne(sql, sql`q.webhook_id = ${webhookId} and q.organisation_id = ${organisationId}`, sql``);
}

/** The same without a wait, for code that serves many organisations; undefined also if another session has locked it. */
export function lockQueueNow(sql: Sql, webhookId: string): Promise<QueuePosition | undefined> {
  return lockOne(sql, sql`q.webhook_id = ${webhookId}`, sql`skip locked`);
}

async function lockOne(sql: Sql, which: Fragment, locked: Fragment): Promise<QueuePosition | undefined> {
  const [queue] = await sql<QueuePosition[]>`
    select ${passed(sql)} as passed, q.last_place as "lastPlace", q.last_place - q.done_place as pending,
           least(q.announced, (select sequence from webhook_horizon)) as announced
    from webhook_queues q
    where ${which}
    for update ${locked}`;
  return queue;
}

/**
 * The last event up to which the webhook of the queue `q` has got the events that it wants. Events on their way count, because they
 * come before later deliveries. Events of an announcement that is still to be made do not.
 */
export function passed(sql: Sql) {
  return sql`
    case
      when q.cursor < q.announced then coalesce(q.taken[cardinality(q.taken)], q.cursor)
      else greatest(
        q.cursor,
        coalesce(
          (select a.after_sequence from webhook_announcements a where a.webhook_id = q.webhook_id),
          (select sequence from webhook_horizon)
        )
      )
    end`;
}

/**
 * Makes deliveries of these events after the pending ones, and makes the webhook due. The caller has locked the queue in this
 * transaction. Events that the webhook has not reached yet are left out: they will come anyway, and now they would be out of order.
 * @returns the number of events, and the queue's last place
 */
export async function queueAgain(
  sql: Sql,
  webhookId: string,
  { passed, lastPlace }: QueuePosition,
  sequences: readonly number[],
): Promise<{ readonly events: number; readonly place: number }> {
  const events = [...new Set(sequences)].filter((one) => one <= passed).sort((a, b) => a - b);
  if (events.length === 0) return { events: 0, place: lastPlace };
  const made = sql`(
    select q.webhook_id, q.organisation_id, q.last_place + f.nth as place, 0 as part,
           null::uuid as split_from,
           array_agg(f.sequence order by f.sequence) as event_sequences
    from webhook_queues q cross join found f
    where q.webhook_id = ${webhookId}
    group by q.webhook_id, q.organisation_id, q.last_place, f.nth
    order by f.nth
  ) as made`;
  const [moved] = await sql<[{ place: number }]>`
    with found as materialized (
      select sequence, 1 + (nth - 1) / ${LIMITS.eventsPerDelivery}::int as nth
      from unnest(${events}::bigint[]) with ordinality as e (sequence, nth)
    ),
    made as (
      ${insertDeliveries(sql, made)}
    )
    update webhook_queues q
    set last_place = q.last_place + f.deliveries,
        last_part = 0,
        due_at = case when q.enabled then coalesce(q.due_at, now()) end
    from (select max(nth) as deliveries from found) f
    where q.webhook_id = ${webhookId}
    returning q.last_place as place`;
  return { events: events.length, place: moved.place };
}

/** Failed deliveries of one look, in the order in which they were made. */
interface FailedLook {
  /** Those that were not replayed yet, with the numbers of their events. */
  readonly found: ReadonlyArray<{ readonly id: string; readonly sequences: readonly number[] }>;
  /** The last delivery read; undefined: there are no more. */
  readonly last: string | undefined;
}

/**
 * Reads failed deliveries of a webhook, after one of them.
 * @param place the last place that counts
 */
export async function lookAtFailed(
  sql: Sql,
  webhookId: string,
  { after, place, limit }: { readonly after: string | null; readonly place: number; readonly limit: number },
): Promise<FailedLook> {
  const rows = await sql<{ id: string; isWanted: boolean; sequences: number[] }[]>`
    select d.id, coalesce(d.replayed_at is null and d.place <= ${place}, false) as "isWanted", d.event_sequences as sequences
    from webhook_deliveries d
    where (d.webhook_id, d.id) > (${webhookId}::uuid, ${after ?? NIL_UUID}::uuid)
      and (d.webhook_id, d.id) <= (${webhookId}::uuid, ${MAX_UUID}::uuid)
      and d.failed_at is not null
    order by d.webhook_id, d.id
    limit ${limit}`;
  const found = rows.filter(({ isWanted }) => isWanted);
  return { found, last: rows.length < limit ? undefined : rows.at(-1)?.id };
}

/** Marks failed deliveries as replayed. @returns the events of those that were not marked yet */
export async function markReplayed(
  sql: Sql,
  webhookId: string,
  deliveryIds: readonly string[],
): Promise<number[]> {
  const rows = await sql<{ sequences: number[] }[]>`
    update webhook_deliveries set replayed_at = now()
    where id = any(${deliveryIds}::uuid[]) and webhook_id = ${webhookId}
      and failed_at is not null and replayed_at is null
    returning event_sequences as sequences`;
  return rows.flatMap(({ sequences }) => sequences);
}
