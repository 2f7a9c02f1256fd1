import type { Fragment, Sql } from "#postgres";

/**
 * Whether the queue `q`, a row of `webhook_queues`, has pending deliveries. Needs this row alone, so it is
 * right also for a row that was waited for.
 */
export function hasPending(sql: Sql): Fragment {
  return sql`(q.last_place, q.last_part) > (q.done_place, q.done_part)`;
}

/** Whether `d`, a row of `webhook_deliveries`, is a pending delivery of the queue `q`. */
export function isPending(sql: Sql): Fragment {
  return sql`
    d.webhook_id = q.webhook_id and (d.place, d.part) > (q.done_place, q.done_part) and d.state = 'pending'`;
}
