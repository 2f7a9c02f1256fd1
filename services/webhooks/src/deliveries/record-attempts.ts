import type { DeliveryPlan } from "#domain/webhooks";
import type { Fragment, Sql } from "#postgres";
import { insertDeliveries } from "#publisher-db";

/** What one attempt came to, and what follows from it. */
export interface DeliveryAttempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: Date;
  readonly durationMs: number;
  /** HTTP status; null where there was none. */
  readonly status: number | null;
  /** null: delivered. */
  readonly errorClass: string | null;
  /** What was answered, at most 4 KiB of text that a database can keep. */
  readonly answer: string | null;
  readonly next: DeliveryPlan;
}

export interface AttemptRecord {
  readonly owner: string;
  /** The attempts of one webhook are in the order in which they were made; at most one of each delivery. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Webhooks to give back with this: all that was taken for them is delivered or parked. */
  readonly finished: readonly string[];
}

/** Webhooks by what became of their leases. */
export interface RecordedAttempts {
  /** They are not this owner's any more, and nothing was recorded for them. */
  readonly gone: readonly string[];
  /** They were given back. */
  readonly released: readonly string[];
}

/**
 * Records what attempts came to, for the webhooks that are still this owner's. Another process may have attempted the
 * deliveries of the others since, and its results count.
 *
 * A webhook that is finished is given back in the same write, as `releaseWebhooks` would, but only where this record settles
 * one of its deliveries. Otherwise it might be a repeated one, and the webhook leased anew by the same process meanwhile.
 *
 * Recording the same attempts again, after a connection was lost in the middle, changes nothing more.
 *
 * It is one statement, and locks webhooks before queues, as `updateWebhook` does.
 */
export async function recordAttempts(
  sql: Sql,
  { owner, attempts, finished }: AttemptRecord,
): Promise<RecordedAttempts> {
  if (attempts.length === 0) return { gone: [], released: [] };
  const standings = summarise(attempts);
  const parts = sql`(
    select split.webhook_id, split.organisation_id, split.place, event.part::int as part,
           array[event.sequence] as event_sequences
    from split, unnest(split.event_sequences) with ordinality as event (sequence, part)
    order by split.webhook_id, event.part
  ) as made`;
  const held = await sql<{ id: string; released: boolean }[]>`
    with ${holdWebhooks(sql, owner, standings)},
    attempt as materialized (
      select a.*
      from json_to_recordset(${JSON.stringify(attempts.map(toRow))}::text::json) as a (
        delivery_id uuid, webhook_id uuid, at timestamptz, duration_ms int, status int, error_class text, answer text,
        kind text, retry_after_ms float8, refused int
      )
      where a.webhook_id in (select webhook_id from held)
    ),
    settled as (
      update webhook_deliveries d
      set state = case a.kind when 'delivered' then 'delivered' when 'parked' then 'failed' else 'pending' end,
          failed_at = case when a.kind = 'parked' then a.at end,
          attempts = d.attempts + 1,
          failures = d.failures + (a.kind <> 'delivered')::int,
          refusals = d.refusals + a.refused,
          last_attempt_at = a.at,
          next_attempt_at = now() + a.retry_after_ms * interval '1 millisecond',
          status = a.status,
          duration_ms = a.duration_ms,
          error_class = a.error_class,
          answer = a.answer
      from attempt a
      where d.id = a.delivery_id and d.webhook_id = a.webhook_id and a.kind <> 'split'
        and d.state = 'pending' and d.last_attempt_at is distinct from a.at
      returning d.webhook_id, d.place, d.part, d.state
    ),
    split as (
      delete from webhook_deliveries d
      using attempt a
      where d.id = a.delivery_id and d.webhook_id = a.webhook_id and a.kind = 'split' and d.state = 'pending'
      returning d.webhook_id, d.organisation_id, d.place, d.event_sequences
    ),
    parts as (
      ${insertDeliveries(sql, parts)}
    ),
    ${moveQueues(sql, finished)}
    select held.webhook_id as id, coalesce(m.released, false) as released
    from held left join moved m using (webhook_id)`;
  const ours = new Set(held.map(({ id }) => id));
  return {
    gone: standings.map((standing) => standing.webhook_id).filter((id) => !ours.has(id)),
    released: held.filter(({ released }) => released).map(({ id }) => id),
  };
}

/** Of the webhooks in `standing` those that are this owner's are `held` from here on. */
function holdWebhooks(sql: Sql, owner: string, standings: readonly Standing[]): Fragment {
  return sql`
    standing as materialized (
      select * from json_to_recordset(${JSON.stringify(standings)}::text::json) as s (
        webhook_id uuid, succeeded_at timestamptz, failed_at timestamptz, disabled boolean
      )
    ),
    target as materialized (
      select w.id from webhooks w
      where w.id = any(${standings.map((standing) => standing.webhook_id)}::uuid[])
      order by w.id
      for no key update
    ),
    held as materialized (
      select q.webhook_id
      from webhook_queues q
      where q.webhook_id = any(array(select id from target)) and q.owner = ${owner}
      order by q.webhook_id
      for update
    )`;
}

/** Queues move past what is `settled` or `split`, and webhooks show how they stand. */
function moveQueues(sql: Sql, finished: readonly string[]): Fragment {
  return sql`
    -- Grouped and not joined: no plan can know the sizes of these, and a join compared each row with each.
    progress as (
      select webhook_id, max(done) as done, max(split_place) as split_place, max(parts) as parts,
             bool_or(disabled) as disabled,
             max(done) is not null and webhook_id = any(${finished}::uuid[]) as finished
      from (
        select webhook_id, array[place, part] as done, null::bigint as split_place, null::int as parts,
               false as disabled
        from settled where state <> 'pending'
        union all
        select webhook_id, null, place, cardinality(event_sequences), false from split
        union all
        select webhook_id, null, null, null, true
        from standing where disabled and webhook_id in (select webhook_id from held)
      ) news
      group by webhook_id
    ),
    moved as (
      update webhook_queues q
      set done_place = coalesce(p.done[1], q.done_place),
          done_part = coalesce(p.done[2], q.done_part),
          last_part = case when p.split_place = q.last_place then p.parts else q.last_part end,
          enabled = q.enabled and not p.disabled,
          owner = case when not p.finished then q.owner end,
          lease_until = case when not p.finished then q.lease_until end,
          due_at = case
            when p.disabled or not q.enabled then null
            when not p.finished then q.due_at
            -- A replay has made some, or events were announced, since the deliveries were taken.
            when (q.last_place, q.last_part) > (p.done[1], p.done[2]) or q.cursor < q.announced then now()
          end
      from progress p
      where q.webhook_id = p.webhook_id
      returning q.webhook_id, p.finished as released
    ),
    standings as (
      update webhooks w
      set last_success_at = coalesce(s.succeeded_at, w.last_success_at),
          failing_since = case
            when s.succeeded_at is not null then s.failed_at
            else coalesce(w.failing_since, s.failed_at)
          end,
          state = case when s.disabled and w.state = 'enabled' then 'disabled' else w.state end
      from standing s join held using (webhook_id)
      where w.id = s.webhook_id
    )`;
}

/** What its attempts say of one webhook. */
interface Standing {
  readonly webhook_id: string;
  /** The last of them that succeeded. */
  succeeded_at: Date | null;
  /** The first that failed after that. */
  failed_at: Date | null;
  disabled: boolean;
}

function summarise(attempts: readonly DeliveryAttempt[]): Standing[] {
  const standings = new Map<string, Standing>();
  for (const { webhookId, at, next } of attempts) {
    const standing = standings.get(webhookId) ?? {
      webhook_id: webhookId,
      succeeded_at: null,
      failed_at: null,
      disabled: false,
    };
    standings.set(webhookId, standing);
    if (next.kind === "delivered") {
      standing.succeeded_at = at;
      standing.failed_at = null;
    } else {
      standing.failed_at ??= at;
    }
    standing.disabled ||= next.kind === "disable";
  }
  return [...standings.values()];
}

function toRow({ deliveryId, webhookId, at, durationMs, status, errorClass, answer, next }: DeliveryAttempt) {
  return {
    delivery_id: deliveryId,
    webhook_id: webhookId,
    at,
    duration_ms: Math.round(durationMs),
    status,
    error_class: errorClass,
    answer,
    kind: next.kind,
    retry_after_ms: next.kind === "retry" ? next.afterMs : null,
    refused: "refused" in next && next.refused ? 1 : 0,
  };
}
