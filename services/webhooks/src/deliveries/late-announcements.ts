import type { Sql } from "#postgres";

/**
 * The most postponed announcements that one statement makes, and the most started webhooks to which one
 * statement announces.
 */
const MISSED_PER_STEP = 250;

/**
 * Announces to started webhooks the events that the horizon passed while they were stopped: no step looks at a stopped webhook.
 *
 * A step that began before the start does not see the webhook, and may be about to move the horizon. Either it holds the
 * horizon's row from its look to its end, or it finds the row changed (`tellings`) and moves nothing. So this announcement
 * covers every earlier step, and every later step sees the webhook.
 * @returns whether there were such webhooks
 */
export async function tellStarted(sql: Sql): Promise<boolean> {
  const [{ told }] = await sql<[{ told: number }]>`
    -- The horizon first: every step locks it before queues, and waits for no queue.
    with horizon as materialized (
      select sequence from webhook_horizon where exists (select from webhook_starts) for update
    ),
    started as materialized (
      select webhook_id, horizon.sequence from horizon cross join lateral (
        select webhook_id from webhook_starts
        order by webhook_id
        limit ${MISSED_PER_STEP}
        for update skip locked
      ) s
    ),
    locked as materialized (
      select q.webhook_id, s.sequence from started s cross join lateral (
        select webhook_id from webhook_queues where webhook_id = s.webhook_id offset 0 for update skip locked
      ) q
    ),
    told as (
      update webhook_queues q
      set untold = false,
          announced = locked.sequence,
          due_at = case when q.enabled then coalesce(q.due_at, now()) end
      from locked
      where q.webhook_id = locked.webhook_id and q.untold
      returning q.webhook_id
    ),
    done as (
      delete from webhook_starts where webhook_id in (select webhook_id from locked)
    ),
    noted as (
      update webhook_horizon set tellings = tellings + 1 where exists (select from told)
    )
    select count(*) as told from told`;
  return told > 0;
}

/**
 * Makes postponed announcements, if the queues of their webhooks can be locked now. If the process dies
 * first, the next step of any process makes them: each step looks for them.
 * @returns whether any are left
 */
export async function announceMissed(sql: Sql): Promise<boolean> {
  const [{ left }] = await sql<[{ left: boolean }]>`
    with missed as materialized (
      select webhook_id, after_sequence, upto_sequence from webhook_announcements
      order by webhook_id
      limit ${MISSED_PER_STEP}
      for update skip locked
    ),
    locked as materialized (
      select q.*, m.after_sequence as after, m.upto_sequence as upto
      from missed m cross join lateral (
        select * from webhook_queues where webhook_id = m.webhook_id offset 0 for update skip locked
      ) q
    ),
    announced as (
      update webhook_queues q
      set cursor = case when l.cursor >= l.announced and l.enabled and not l.untold then greatest(l.cursor, l.after) else l.cursor end,
          announced = greatest(l.announced, l.upto),
          due_at = case when q.enabled then coalesce(q.due_at, now()) end
      from locked l
      where q.webhook_id = l.webhook_id
    ),
    made as (
      delete from webhook_announcements a
      using missed m
      where a.webhook_id = m.webhook_id and (
        m.webhook_id in (select webhook_id from locked)
        or not exists (select from webhook_queues q where q.webhook_id = m.webhook_id)
      )
      returning a.webhook_id
    )
    select exists (
      select from webhook_announcements where webhook_id not in (select webhook_id from made)
    ) as left`;
  return left;
}
