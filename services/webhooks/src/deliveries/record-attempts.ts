import { LIMITS } from "#contract";
import { beginningOf } from "#domain/webhooks";
import type { Fragment, Sql } from "#postgres";
import { insertDeliveries } from "#publisher-db";
import type { AttemptRecord, DeliveryAttempt, RecordedAttempts } from "./attempt-record.ts";
import { recordedOf } from "./leases.ts";
import { recordDelivered } from "./record-delivered.ts";
import { storeTaken } from "./store-taken.ts";

/**
 * Records attempts, for the webhooks that still belong to this owner. Another process may since have
 * attempted the deliveries of the other webhooks, and its results count.
 *
 * If all of a webhook's deliveries arrived, which is usual, one write serves all such webhooks. Deliveries of
 * the other webhooks get rows first, if they have none, and are then settled. Webhooks that another session
 * has locked are recorded later, and completely: a repeated record changes nothing.
 */
export async function recordAttempts(
  sql: Sql,
  { owner, attempts, finished }: AttemptRecord,
): Promise<RecordedAttempts> {
  const troubled = new Set(attempts.filter((one) => !isPlain(one)).map(({ webhookId }) => webhookId));
  const plain = attempts.filter(({ webhookId }) => !troubled.has(webhookId));
  const { others, ...recorded } = await recordDelivered(sql, { owner, attempts: plain, finished });
  const unsettled = attempts.filter(({ webhookId }) => troubled.has(webhookId) || others.has(webhookId));
  if (unsettled.length === 0) return recorded;
  const unstored = new Set(
    unsettled.filter(({ cut }) => cut !== undefined).map(({ webhookId }) => webhookId),
  );
  // A delivery without a row is not settled: its attempt would be lost.
  const left = new Set(await storeTaken(sql, { owner, webhookIds: [...unstored] }));
  const rest = unsettled.filter(({ webhookId }) => !left.has(webhookId));
  const settled = await settleAttempts(sql, { owner, attempts: rest, finished });
  return {
    locked: [...recorded.locked, ...left, ...settled.locked],
    gone: [...recorded.gone, ...settled.gone],
    released: [...recorded.released, ...settled.released],
    due: [...recorded.due, ...settled.due],
  };
}

/** Whether the record says only that the delivery arrived. */
function isPlain({ cut, wasUp, next }: DeliveryAttempt): boolean {
  return cut !== undefined && wasUp && next.kind === "delivered";
}

/**
 * Settles deliveries that have rows.
 *
 * A finished webhook is given back in the same write, as `releaseWebhooks` would do, but only if this record settles one of its
 * deliveries. Otherwise the record may be a repeated one, and the same process may have leased the webhook again.
 *
 * After a lost connection the same attempts may be recorded again, which changes nothing.
 *
 * A failure at an address that the webhook no longer has, or from before its start, does not count: the delivery is as it was,
 * and due.
 *
 * It is one statement, which locks webhooks before queues, as `updateWebhook` does, and waits for none of them.
 */
async function settleAttempts(
  sql: Sql,
  { owner, attempts, finished }: AttemptRecord,
): Promise<RecordedAttempts> {
  if (attempts.length === 0) return { locked: [], gone: [], released: [], due: [] };
  const standings = summarise(attempts);
  const parts = sql`(
    select split.webhook_id, split.organisation_id, split.place, event.part::int as part, split.id as split_from,
           array[event.sequence] as event_sequences
    from split, unnest(split.event_sequences) with ordinality as event (sequence, part)
    order by split.webhook_id, event.part
  ) as made`;
  const held = await sql<{ id: string; released: boolean; due: boolean }[]>`
    with ${holdWebhooks(sql, owner, standings)},
    attempt as materialized (
      select a.*, a.kind <> 'delivered' and a.revision = t.revision as failed
      from json_to_recordset(${JSON.stringify(attempts.map(toRow))}::text::json) as a (
        delivery_id uuid, webhook_id uuid, revision bigint, at timestamptz, duration_ms int, status int, error_class text,
        answer text, beginning text, kind text, retry_after_ms float8, refused int
      ) join target t on t.id = a.webhook_id
      where a.webhook_id in (select webhook_id from held)
    ),
    settled as (
      update webhook_deliveries d
      set state = case
            when a.kind = 'delivered' then 'delivered'
            when a.failed and a.kind = 'parked' then 'failed'
            when a.failed and a.kind = 'split' then 'split'
            else 'pending'
          end,
          failed_at = case when a.failed and a.kind = 'parked' then a.at end,
          attempts = d.attempts + 1,
          failures = d.failures + a.failed::int,
          refusals = d.refusals + case when a.failed then a.refused else 0 end,
          last_attempt_at = a.at,
          next_attempt_at = case when a.failed then now() + a.retry_after_ms * interval '1 millisecond' end,
          status = a.status,
          duration_ms = a.duration_ms,
          error_class = a.error_class,
          answer = a.answer
      from attempt a
      where d.id = a.delivery_id and d.webhook_id = a.webhook_id
        and d.state = 'pending' and d.last_attempt_at is distinct from a.at
      returning d.id, d.webhook_id, d.organisation_id, d.place, d.part, d.state, d.attempts, d.event_sequences,
                a.at, a.duration_ms, a.status, a.error_class, a.beginning
    ),
    split as (select * from settled where state = 'split'),
    parts as (
      ${insertDeliveries(sql, parts)}
    ),
    ${keepAttempts(sql)},
    ${moveQueues(sql, finished)}
    select held.webhook_id as id, coalesce(m.released, false) as released, coalesce(m.due, false) as due
    from held left join moved m using (webhook_id)`;
  return recordedOf(sql, { owner, webhookIds: standings.map((standing) => standing.webhook_id) }, held);
}

/** Table expressions: `held` are the webhooks in `standing` that belong to this owner, locked. */
function holdWebhooks(sql: Sql, owner: string, standings: readonly Standing[]): Fragment {
  return sql`
    standing as materialized (
      select * from json_to_recordset(${JSON.stringify(standings)}::text::json) as s (
        webhook_id uuid, revision bigint, succeeded_at timestamptz, failing_since timestamptz, failing_ms bigint,
        last_failure_at timestamptz, disabled boolean
      )
    ),
    target as materialized (
      select w.id, w.revision from webhooks w
      where w.id = any(${standings.map((standing) => standing.webhook_id)}::uuid[])
      order by w.id
      for no key update skip locked
    ),
    held as materialized (
      select q.webhook_id
      from webhook_queues q
      where q.webhook_id = any(array(select id from target)) and q.owner = ${owner}
      order by q.webhook_id
      for update skip locked
    ),
    -- Those whose attempts were made to the current address.
    judged as materialized (
      select s.* from standing s join target t on t.id = s.webhook_id and t.revision = s.revision
      where s.webhook_id in (select webhook_id from held)
    )`;
}

/**
 * Keeps each attempt that is `settled`, except a success without earlier failures, which the delivery's own row shows. The schedule
 * makes some 80 attempts of a delivery, but a target may ask to be tried every second for three days: then only the first and the
 * last attempts are kept.
 */
function keepAttempts(sql: Sql): Fragment {
  return sql`
    kept as (
      insert into webhook_attempts (at, delivery_id, number, duration_ms, status, error_class, answer)
      select at, id, attempts, duration_ms, status, error_class, beginning
      from settled
      where state <> 'delivered' or attempts > 1
    ),
    thinned as (
      delete from webhook_attempts t
      using settled s
      where s.attempts > ${LIMITS.deliveryAttemptsKept}::int
        and t.delivery_id = s.id and t.number = s.attempts - ${LIMITS.deliveryAttemptsKept / 2}::int
    )`;
}

/** Moves queues past deliveries that are `settled` or `split`, and updates the webhooks' breaks. */
function moveQueues(sql: Sql, finished: readonly string[]): Fragment {
  return sql`
    -- Grouped and not joined: the planner does not know their sizes, and a join compared each row with each.
    progress as (
      select webhook_id, max(done) as done, max(split_place) as split_place, max(parts) as parts,
             bool_or(disabled) as disabled, max(succeeded_at) as succeeded_at,
             max(done) is not null and webhook_id = any(${finished}::uuid[]) as finished
      from (
        select webhook_id, array[place, part] as done, null::bigint as split_place, null::int as parts,
               false as disabled, null::timestamptz as succeeded_at
        from settled where state in ('delivered', 'failed')
        union all
        select webhook_id, null, place, cardinality(event_sequences), false, null from split
        union all
        select webhook_id, null, null, null, false, succeeded_at
        from standing
        where succeeded_at is not null and webhook_id in (select webhook_id from held)
        union all
        select webhook_id, null, null, null, true, null from judged where disabled
      ) news
      group by webhook_id
    ),
    moved as (
      update webhook_queues q
      set done_place = coalesce(p.done[1], q.done_place),
          done_part = coalesce(p.done[2], q.done_part),
          last_part = case when p.split_place = q.last_place then p.parts else q.last_part end,
          enabled = q.enabled and not p.disabled,
          last_success_at = coalesce(p.succeeded_at, q.last_success_at),
          owner = case when not p.finished then q.owner end,
          lease_until = case when not p.finished then q.lease_until end,
          due_at = case
            when p.disabled or not q.enabled then null
            when not p.finished then q.due_at
            -- A replay has made more deliveries, or events were announced, since these were taken.
            when (q.last_place, q.last_part) > (p.done[1], p.done[2]) or q.cursor < q.announced then now()
          end
      from progress p
      where q.webhook_id = p.webhook_id
      returning q.webhook_id, p.finished as released, q.due_at is not null as due
    ),
    standings as (
      update webhooks w
      set failing_since = s.failing_since,
          failing_ms = s.failing_ms,
          last_failure_at = s.last_failure_at,
          state = case when s.disabled and w.state = 'enabled' then 'disabled' else w.state end,
          updated_at = case when s.disabled and w.state = 'enabled' then now() else w.updated_at end
      from judged s
      where w.id = s.webhook_id
    )`;
}

/** The state of a webhook after its attempts. */
interface Standing {
  readonly webhook_id: string;
  /** Of the address of the last attempt. */
  readonly revision: number;
  /** The last attempt that succeeded. */
  readonly succeeded_at: Date | null;
  /** The break; null: the last attempt did not fail. */
  readonly failing_since: Date | null;
  readonly failing_ms: number;
  readonly last_failure_at: Date | null;
  readonly disabled: boolean;
}

function summarise(attempts: readonly DeliveryAttempt[]): Standing[] {
  const standings = new Map<string, Standing>();
  for (const { webhookId, at, next, revision, failing } of attempts) {
    standings.set(webhookId, {
      webhook_id: webhookId,
      revision,
      succeeded_at: next.kind === "delivered" ? at : (standings.get(webhookId)?.succeeded_at ?? null),
      failing_since: failing?.since ?? null,
      failing_ms: failing?.ms ?? 0,
      last_failure_at: failing?.last ?? null,
      // Such an attempt is the last of a turn.
      disabled: next.kind === "disable",
    });
  }
  return [...standings.values()];
}

function toRow({ deliveryId, webhookId, revision, at, durationMs, ...result }: DeliveryAttempt) {
  const { status, errorClass, answer, next } = result;
  return {
    delivery_id: deliveryId,
    webhook_id: webhookId,
    revision,
    at,
    duration_ms: Math.round(durationMs),
    status,
    error_class: errorClass,
    answer,
    beginning: answer && beginningOf(answer, LIMITS.attemptAnswerKeptBytes),
    kind: next.kind,
    retry_after_ms: next.kind === "retry" ? next.afterMs : null,
    refused: next.kind === "split" || ("refused" in next && next.refused) ? 1 : 0,
  };
}
