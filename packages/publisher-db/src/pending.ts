import type { Fragment, Sql } from "#postgres";

/** Of `q`, a row of `webhook_queues`: deliveries are pending. To be seen in this row alone, also when it was waited for. */
export function hasPending(sql: Sql): Fragment {
  return sql`(q.last_place, q.last_part) > (q.done_place, q.done_part)`;
}

/** That `d`, a row of `webhook_deliveries`, is one that the queue `q` has pending. */
export function isPending(sql: Sql): Fragment {
  return sql`
    d.webhook_id = q.webhook_id and (d.place, d.part) > (q.done_place, q.done_part) and d.state = 'pending'`;
}
