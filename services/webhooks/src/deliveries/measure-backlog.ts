import type { Sql } from "#postgres";
import { isPending } from "#publisher-db";
import { ageSeconds } from "./age-seconds.ts";

export interface Backlog {
  /** Enabled webhooks that something waits for, those in the middle of it among them. */
  readonly waiting: number;
  /** Since the oldest event happened that one of them has not got, or its delivery was made; 0: all have got all. */
  readonly oldestSeconds: number;
  /** Webhooks in each state; only failures disable one. */
  readonly enabled: number;
  readonly paused: number;
  readonly disabled: number;
  /** Enabled webhooks whose last request failed. */
  readonly failing: number;
}

/**
 * What waits for delivery, for the metrics: two look-ups by index for each webhook that something waits for, however many
 * events there are, and a count over the webhooks.
 */
export async function measureBacklog(sql: Sql): Promise<Backlog> {
  const [backlog] = await sql<[Backlog]>`
    with states as (
      select count(*) filter (where state = 'enabled') as enabled,
             count(*) filter (where state = 'paused') as paused,
             count(*) filter (where state = 'disabled') as disabled,
             count(*) filter (where state = 'enabled' and failing_since is not null) as failing
      from webhooks
    )
    select count(q.webhook_id) as waiting, 
           ${ageSeconds(sql, sql`min(least(pending.at, fresh.at))`)} as "oldestSeconds",
           states.enabled, states.paused, states.disabled, states.failing
    from states
    left join webhook_queues q on q.due_at is not null
    left join lateral (
      select d.created_at as at from webhook_deliveries d
      where ${isPending(sql)}
      order by d.place, d.part
      limit 1
    ) pending on true
    left join lateral (
      select e.at from events e
      where e.organisation_id = q.organisation_id and e.sequence > q.cursor and e.sequence <= q.announced
      order by e.sequence
      limit 1
    ) fresh on true
    group by states.enabled, states.paused, states.disabled, states.failing`;
  return backlog;
}
