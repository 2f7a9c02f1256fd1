import type { Sql } from "../connect.ts";
import { isPending } from "./pending.ts";

export interface Backlog {
  /** Enabled webhooks that something waits for, those in the middle of it among them. */
  readonly waiting: number;
  /** When the oldest event happened that one of them has not got, or its delivery was made; null: all have got all. */
  readonly oldestAt: Date | null;
  /** Webhooks that are disabled. */
  readonly disabled: number;
}

/** What waits for delivery, for the metrics: two look-ups by index for each webhook that something waits for. */
export async function measureBacklog(sql: Sql): Promise<Backlog> {
  const [backlog] = await sql<[Backlog]>`
    select count(*) as waiting, min(least(pending.at, fresh.at)) as "oldestAt",
           (select count(*) from webhooks where state = 'disabled') as disabled
    from webhook_queues q
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
    where q.due_at is not null`;
  return backlog;
}
