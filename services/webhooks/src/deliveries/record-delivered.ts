import type { Sql } from "#postgres";
import type { AttemptRecord, DeliveryAttempt, RecordedAttempts } from "./delivery-attempt.ts";

/** Webhooks by what became of their records. */
export interface RecordedDelivered extends RecordedAttempts {
  /** They are this owner's, and nothing was recorded for them: their deliveries have rows, or were recorded before. */
  readonly others: ReadonlySet<string>;
}

/**
 * Records deliveries that arrived at once at webhooks that are up: each gets its row, delivered, and the queue moves past it.
 * That is all that is ever written of such a delivery but for the lease it was taken with.
 *
 * The queue's own row says whether this may be done: it is this owner's, and the deliveries are the next of those that were
 * taken. Faults thought of:
 *
 * - The process dies, or loses its lease, before: whoever has the webhook then makes the same deliveries again, under the
 *   same ids. Its own record then finds another owner.
 * - The record is repeated, after a connection was lost behind the commit: the queue is past these deliveries. It may be
 *   leased anew by the same process, and is left alone.
 * - The webhook is paused meanwhile: what arrived counts. It is deleted: there is no queue.
 * - Deliveries were replayed meanwhile: their places are behind those that were taken, and they make the webhook due.
 *
 * @param attempts those of each webhook in order, all delivered, each with its `cut`
 */
export async function recordDelivered(
  sql: Sql,
  { owner, attempts, finished }: AttemptRecord,
): Promise<RecordedDelivered> {
  const webhookIds = [...new Set(attempts.map(({ webhookId }) => webhookId))];
  if (webhookIds.length === 0) return { gone: [], released: [], due: [], others: new Set() };
  const rows = await sql<{ id: string; fits: boolean; released: boolean; due: boolean }[]>`
    with attempt as materialized (
      select * from json_to_recordset(${JSON.stringify(attempts.map(toRow))}::text::json) as a (
        delivery_id uuid, webhook_id uuid, place bigint, sequences bigint[], at timestamptz, duration_ms int, status int,
        answer text
      )
    ),
    step as materialized (
      select webhook_id, min(place) as first, max(place) as last, count(*)::int as deliveries, max(at) as at
      from attempt
      group by webhook_id
    ),
    held as materialized (
      select q.webhook_id, q.organisation_id, q.taken_at, s.last, s.deliveries, s.at,
             coalesce(
               q.done_place + 1 = s.first and s.last - s.first + 1 = s.deliveries and s.deliveries <= cardinality(q.taken),
               false
             ) as fits
      from step s join webhook_queues q using (webhook_id)
      where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner}
      order by q.webhook_id
      for update of q
    ),
    made as (
      insert into webhook_deliveries (
        id, webhook_id, organisation_id, created_at, place, event_sequences, state, attempts, last_attempt_at, status,
        duration_ms, answer
      )
      select a.delivery_id, a.webhook_id, h.organisation_id, h.taken_at, a.place, a.sequences, 'delivered', 1, a.at, a.status,
             a.duration_ms, a.answer
      from held h join attempt a using (webhook_id)
      where h.fits
      order by a.webhook_id, a.place
    ),
    moved as (
      update webhook_queues q
      set cursor = q.taken[h.deliveries],
          done_place = h.last,
          done_part = 0,
          taken = case when h.deliveries < cardinality(q.taken) then q.taken[h.deliveries + 1:] end,
          taken_at = case when h.deliveries < cardinality(q.taken) then q.taken_at end,
          last_success_at = h.at,
          owner = case when not f.finished then q.owner end,
          lease_until = case when not f.finished then q.lease_until end,
          due_at = case
            when not q.enabled then null
            when not f.finished then q.due_at
            -- A replay has made some, or events were announced, since the deliveries were taken.
            when (q.last_place, q.last_part) > (h.last, 0) or q.taken[h.deliveries] < q.announced then now()
          end
      from held h cross join lateral (select h.webhook_id = any(${finished}::uuid[]) as finished) f
      where q.webhook_id = h.webhook_id and h.fits and q.webhook_id = any(array(select webhook_id from held))
      returning q.webhook_id, f.finished, q.due_at is not null as due
    )
    select held.webhook_id as id, held.fits, coalesce(m.finished, false) as released, coalesce(m.due, false) as due
    from held left join moved m using (webhook_id)`;
  const ours = new Set(rows.map(({ id }) => id));
  const released = rows.filter((row) => row.released);
  return {
    gone: webhookIds.filter((id) => !ours.has(id)),
    released: released.map(({ id }) => id),
    due: released.filter(({ due }) => due).map(({ id }) => id),
    others: new Set(rows.filter(({ fits }) => !fits).map(({ id }) => id)),
  };
}

function toRow({ deliveryId, webhookId, cut, at, durationMs, status, answer }: DeliveryAttempt) {
  return {
    delivery_id: deliveryId,
    webhook_id: webhookId,
    place: cut?.place,
    sequences: cut?.sequences,
    at,
    duration_ms: Math.round(durationMs),
    status,
    answer,
  };
}
