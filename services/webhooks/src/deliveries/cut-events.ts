import { LIMITS } from "#contract";
import type { Fragment, Sql } from "#postgres";
import { derivedId, waitingEvents } from "#publisher-db";

/**
 * A delivery that is sent before it has a row; the row is written with the result.
 *
 * The webhook's queue remembers the last event of each such delivery, and the types by which it was taken. So a process may die
 * at any moment: the next owner of the webhook finds the deliveries there, makes rows of them (`storeTaken`), and sends the same
 * events under the same ids.
 */
export interface Cut {
  /** Its place in the webhook's queue. */
  readonly place: number;
  /** The numbers of its events, as PostgreSQL writes an array. */
  readonly sequences: string;
}

/** One request to be made; all of its attempts have the same id. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** The number of its events. */
  readonly events: number;
  /** The JSON of its events, in their order, with commas between them. */
  readonly body: string;
  /** From the spans that made the events, one for each traced event. */
  readonly traceparents: readonly string[];
  /** How many attempts have failed so far. */
  readonly failures: number;
  /** How many of them were refused with a 4xx that counts (contract, section 10). */
  readonly refusals: number;
  /** undefined: the delivery has a row. */
  readonly cut: Cut | undefined;
}

/** A row with `cutColumns`; all null where a webhook got no delivery. */
export interface CutRow {
  readonly deliveryId: string | null;
  readonly place: number | null;
  readonly sequences: string | null;
  readonly events: number | null;
  readonly body: string | null;
  /** Separated by blanks. */
  readonly traceparents: string | null;
}

/**
 * The next deliveries of the queues in `queue`, as a common table expression `step` with a row for each
 * queue: all columns of the queue, and an array for each column of its deliveries.
 *
 * `queue` holds locked rows of `webhook_queues`, with at least the columns webhook_id, organisation_id,
 * cursor, announced, last_place and `goes`: whether the queue has nothing pending and may get deliveries. The
 * statement must see all events up to `announced`: a row that was waited for may name events that were
 * committed after the statement began, and these would be skipped.
 *
 * It works row by row and joins no expressions: the planner does not know their sizes, and would compare each
 * row with each.
 */
export function cutEvents(sql: Sql, perWebhook: number): Fragment {
  const wanted = perWebhook * LIMITS.eventsPerDelivery;
  const id = derivedId(sql, {
    webhookId: sql`q.webhook_id`,
    place: sql`(q.last_place + d.nth)`,
    sequences: sql`d.sequences`,
    at: takenAt(sql),
  });
  return sql`
    step as materialized (
      select q.*, t.types, c.*
      from queue q cross join lateral (
        select case when q.goes then (select w.events from webhooks w where w.id = q.webhook_id) end as types
      ) t cross join lateral (
        select count(*)::int as cut, sum(d.events) as cut_events, array_agg(d.last order by d.nth) as ends,
               array_agg(${id} order by d.nth) as ids, array_agg(d.sequences::text order by d.nth) as sequences,
               array_agg(d.events order by d.nth) as events, array_agg(d.body order by d.nth) as bodies,
               array_agg(d.traceparents order by d.nth) as traceparents
        from (
          select e.nth, count(*) as events, max(e.sequence) as last, array_agg(e.sequence order by e.sequence) as sequences,
                 string_agg(e.body, ',' order by e.sequence) as body,
                 string_agg(e.traceparent, ' ' order by e.sequence) as traceparents
          from (
            select e.*, 1 + (row_number() over (order by e.sequence) - 1) / ${LIMITS.eventsPerDelivery}::int as nth
            from (${waitingEvents(sql, { types: sql`t.types`, limit: wanted })}) e
          ) e
          group by e.nth
        ) d
      ) c
    )`;
}

/**
 * The assignments to a queue `q` that follow from its row `s` of `step`. If the deliveries hold all events that the webhook wants,
 * the last of them goes up to all that is announced.
 */
export function takenColumns(sql: Sql, perWebhook: number): Fragment {
  const wanted = perWebhook * LIMITS.eventsPerDelivery;
  const isRest = sql`s.cut_events < ${wanted}::int`;
  return sql`
    cursor = case when s.goes and s.cut = 0 then s.announced else s.cursor end,
    taken = case when s.cut = 0 then q.taken
                 when ${isRest} then s.ends[:s.cut - 1] || s.announced
                 else s.ends end,
    taken_types = case when s.cut = 0 then q.taken_types else s.types end,
    taken_upto = case when s.cut = 0 then q.taken_upto when ${isRest} then s.announced else s.ends[s.cut] end,
    taken_at = case when s.cut = 0 then q.taken_at else ${takenAt(sql)} end,
    last_place = q.last_place + s.cut,
    last_part = case when s.cut = 0 then q.last_part else 0 end`;
}

/** The deliveries of a row `s` of `step`, one row each; a webhook without a delivery has one row of nulls. */
export function eachCut(sql: Sql): Fragment {
  return sql`
    left join lateral unnest(s.ids, s.sequences, s.events, s.bodies, s.traceparents) with ordinality
      as c (id, sequences, events, body, traceparents, nth) on true`;
}

/** The columns of a `CutRow`, from the rows `s` and `c` of `eachCut`. */
export function cutColumns(sql: Sql): Fragment {
  return sql`
    c.id as "deliveryId", s.last_place + c.nth as place, c.sequences, c.events, c.body, c.traceparents`;
}

/** undefined: the webhook got no delivery. */
export function toCutDelivery(webhookId: string, row: CutRow): PendingDelivery | undefined {
  const { deliveryId, place, sequences, events, body, traceparents } = row;
  if (deliveryId === null || place === null || sequences === null || events === null) return undefined;
  return {
    id: deliveryId,
    webhookId,
    events,
    body: body ?? "",
    traceparents: traceparents?.split(" ") ?? [],
    failures: 0,
    refusals: 0,
    cut: { place, sequences },
  };
}

/** Whole milliseconds, like the times of ids. */
function takenAt(sql: Sql): Fragment {
  return sql`date_trunc('milliseconds', now())`;
}
