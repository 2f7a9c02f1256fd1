import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";
import { derivedId, waitingEvents } from "#publisher-db";

/**
 * A delivery that is sent before it has a row, which is written with what came of it.
 *
 * A webhook's queue remembers up to which event each of its deliveries goes that were taken in this way (`taken`). So a
 * process may die at any moment: whoever gets the webhook next finds them there, makes rows of them (`storeTaken`), and sends
 * the same events under the same ids.
 */
export interface Cut {
  /** Its place in the webhook's queue. */
  readonly place: number;
  /** The numbers of its events, as the database writes an array of them. */
  readonly sequences: string;
}

/** One request to be made; the same id over all of its attempts. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** How many events it has. */
  readonly events: number;
  /** The JSON of its events, in their order, with commas between them. */
  readonly body: string;
  /** Those of the spans that made the events, for each event that was traced. */
  readonly traceparents: readonly string[];
  /** How many attempts failed so far. */
  readonly failures: number;
  /** How many of them were refused with a 4xx that counts (contract, section 10). */
  readonly refusals: number;
  /** undefined: it has a row. */
  readonly cut: Cut | undefined;
}

/** What `cutColumns` give; all null where a webhook got no delivery. */
export interface CutRow {
  readonly deliveryId: string | null;
  readonly place: number | null;
  readonly sequences: string | null;
  readonly events: number | null;
  readonly body: string | null;
  readonly traceparents: readonly string[] | null;
}

/**
 * The next deliveries of the queues in `ready` as common table expressions: `cut`, a row for each delivery, and `taken`, a
 * row for each queue, of which `takenColumns` are made.
 *
 * `ready` are locked rows of `webhook_queues` that have nothing pending, with the columns webhook_id, organisation_id,
 * cursor, announced and last_place. The statement must see all events up to `announced`: a row that was waited for may tell
 * of events that were committed after the statement began, and these would be passed over.
 *
 * In the joins here and in the statements around, ids are given a second time, as an array: the planner cannot know how few
 * they are, and finds rows by index in this way.
 */
export function cutEvents(sql: Sql, perWebhook: number): Fragment {
  const wanted = perWebhook * LIMITS.eventsPerDelivery;
  return sql`
    cut as materialized (
      select q.webhook_id, q.last_place + c.nth as place, c.*,
             ${derivedId(sql, {
               webhookId: sql`q.webhook_id`,
               place: sql`(q.last_place + c.nth)`,
               sequences: sql`c.sequences`,
               at: takenAt(sql),
             })} as id
      from ready q join webhooks w on w.id = q.webhook_id and w.id = any(array(select webhook_id from ready)) cross join lateral (
        select e.nth, count(*) as events, max(e.sequence) as last, array_agg(e.sequence order by e.sequence) as sequences,
               string_agg(e.body, ',' order by e.sequence) as body,
               array_agg(e.traceparent order by e.sequence) filter (where e.traceparent is not null) as traceparents
        from (
          select e.*, 1 + (row_number() over (order by e.sequence) - 1) / ${LIMITS.eventsPerDelivery}::int as nth
          from (${waitingEvents(sql, { types: sql`w.events`, limit: wanted })}) e
        ) e
        group by e.nth
      ) c
    ),
    -- Where these are all events that a webhook wants, the last delivery goes up to all that is announced.
    taken as materialized (
      select q.webhook_id, q.announced,
             case when count(c.nth) > 0 then
               (array_agg(c.last order by c.nth))[:count(c.nth)::int - 1]
                 || case when sum(c.events) < ${wanted}::int then q.announced else max(c.last) end
             end as ends
      from ready q left join cut c using (webhook_id)
      group by q.webhook_id, q.announced
    )`;
}

/**
 * What becomes of a queue `q` that is joined with `taken t`, or of one for which there is no such row.
 * @param cursor where it stands otherwise
 */
export function takenColumns(sql: Sql, cursor: Fragment): Fragment {
  return sql`
    cursor = case when t.webhook_id is not null and t.ends is null then t.announced else ${cursor} end,
    taken = coalesce(t.ends, q.taken),
    taken_at = case when t.ends is null then q.taken_at else ${takenAt(sql)} end,
    last_place = q.last_place + coalesce(cardinality(t.ends), 0),
    last_part = case when t.ends is null then q.last_part else 0 end`;
}

/** The columns of a `CutRow`, of a row `c` of `cut`. */
export function cutColumns(sql: Sql): Fragment {
  return sql`
    c.id as "deliveryId", c.place, c.sequences::text as sequences, c.events, c.body, c.traceparents`;
}

/** undefined: the row is of a webhook that got none. */
export function toCutDelivery(webhookId: string, row: CutRow): PendingDelivery | undefined {
  const { deliveryId, place, sequences, events, body, traceparents } = row;
  if (deliveryId === null || place === null || sequences === null || events === null) return undefined;
  return {
    id: deliveryId,
    webhookId,
    events,
    body: body ?? "",
    traceparents: traceparents ?? [],
    failures: 0,
    refusals: 0,
    cut: { place, sequences },
  };
}

/** Whole milliseconds, as ids have them. */
function takenAt(sql: Sql): Fragment {
  return sql`date_trunc('milliseconds', now())`;
}
