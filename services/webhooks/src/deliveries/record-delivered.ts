import { groupBy } from "#domain";
import type { Sql } from "#postgres";
import type { AttemptRecord, DeliveryAttempt, RecordedAttempts } from "./attempt-record.ts";
import { recordedOf } from "./leases.ts";

/**
 * Records deliveries that webhooks accepted at the first attempt, and whose last attempt had not failed: each
 * delivery gets its row, and the queue moves past it. Apart from the lease, these are the only writes for
 * such a delivery.
 *
 * The queue's row decides whether this may be done: it must be this owner's, and the deliveries the next ones
 * that were taken. Faults considered:
 *
 * - The process dies, or loses its lease, before the record: the next owner makes the same deliveries again,
 *   under the same ids.
 *   A late record then finds another owner.
 * - The record is repeated, because the connection was lost after the commit: the queue is past these
 *   deliveries. It is left
 *   alone, since the same process may have leased it again.
 * - The webhook is paused meanwhile: the deliveries count. It is deleted: there is no queue.
 * - Another session has locked the queue: nothing is recorded, and the caller tries again. Until then the
 *   state is as if the
 *   process had died before the record.
 * - Deliveries were replayed meanwhile: their places are after those that were taken, and they make the
 *   webhook due.
 *
 * @param attempts those of each webhook in order, all delivered, each with its `cut`
 * @returns others: webhooks of this owner for which nothing was recorded, because their deliveries have rows
 * or were recorded before
 */
export async function recordDelivered(
  sql: Sql,
  { owner, attempts, finished }: AttemptRecord,
): Promise<RecordedAttempts & { readonly others: ReadonlySet<string> }> {
  const webhookIds = [...new Set(attempts.map(({ webhookId }) => webhookId))];
  if (webhookIds.length === 0) return { locked: [], gone: [], released: [], due: [], others: new Set() };
  const rows = await sql<{ id: string; fits: boolean; released: boolean; due: boolean }[]>`
    with step as materialized (
      select * from json_to_recordset(${JSON.stringify(steps(attempts, finished))}::text::json) as s (
        webhook_id uuid, first bigint, deliveries int, at timestamptz, finished boolean, attempts json
      )
    ),
    held as materialized (
      select q.webhook_id, q.organisation_id, q.taken_at, q.due_at, q.enabled, s.deliveries, s.at, s.attempts,
             s.first + s.deliveries - 1 as last, q.taken[s.deliveries] as cursor, s.finished,
             coalesce(q.done_place + 1 = s.first and s.deliveries <= cardinality(q.taken), false) as fits,
             -- A replay has made more deliveries, or events were announced, since these were taken.
             (q.last_place, q.last_part) > (s.first + s.deliveries - 1, 0) or q.taken[s.deliveries] < q.announced as more
      from step s join webhook_queues q using (webhook_id)
      where q.owner = ${owner}
      order by q.webhook_id
      for update of q skip locked
    ),
    made as (
      insert into webhook_deliveries (
        id, webhook_id, organisation_id, created_at, place, event_sequences, state, attempts, last_attempt_at, status,
        duration_ms, answer
      )
      select a.delivery_id, h.webhook_id, h.organisation_id, h.taken_at, a.place, a.sequences, 'delivered', 1, a.at, a.status,
             a.duration_ms, a.answer
      from held h cross join lateral json_to_recordset(h.attempts) as a (
        delivery_id uuid, place bigint, sequences bigint[], at timestamptz, duration_ms int, status int, answer text
      )
      where h.fits
    ),
    moved as (
      update webhook_queues q
      set cursor = h.cursor,
          done_place = h.last,
          done_part = 0,
          taken = case when h.deliveries < cardinality(q.taken) then q.taken[h.deliveries + 1:] end,
          taken_at = case when h.deliveries < cardinality(q.taken) then q.taken_at end,
          taken_types = case when h.deliveries < cardinality(q.taken) then q.taken_types end,
          taken_upto = case when h.deliveries < cardinality(q.taken) then q.taken_upto end,
          last_success_at = h.at,
          owner = case when not h.finished then q.owner end,
          lease_until = case when not h.finished then q.lease_until end,
          due_at = case
            when not q.enabled then null
            when not h.finished then q.due_at
            when h.more then now()
          end
      from held h
      where q.webhook_id = h.webhook_id and h.fits
    )
    select webhook_id as id, fits, fits and finished as released, fits and finished and enabled and more as due
    from held`;
  const recorded = await recordedOf(sql, { owner, webhookIds }, rows);
  return { ...recorded, others: new Set(rows.filter(({ fits }) => !fits).map(({ id }) => id)) };
}

/** A row for each webhook. Deliveries whose places do not follow each other are not those that were taken: `first` is null. */
function steps(attempts: readonly DeliveryAttempt[], finished: readonly string[]) {
  const ended = new Set(finished);
  const byWebhook = groupBy(attempts, ({ webhookId }) => webhookId);
  return Array.from(byWebhook, ([webhookId, own]) => {
    const first = own[0]?.cut?.place ?? 0;
    const isInOrder = own.every(({ cut }, nth) => cut?.place === first + nth);
    return {
      webhook_id: webhookId,
      first: isInOrder ? first : null,
      deliveries: own.length,
      at: own.at(-1)?.at,
      finished: ended.has(webhookId),
      attempts: own.map(toRow),
    };
  });
}

function toRow({ deliveryId, cut, at, durationMs, status, answer }: DeliveryAttempt) {
  return {
    delivery_id: deliveryId,
    place: cut?.place,
    sequences: cut?.sequences,
    at,
    duration_ms: Math.round(durationMs),
    status,
    answer,
  };
}
