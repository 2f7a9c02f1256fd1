import type { Sql } from "#postgres";
import { hasPending, isPending } from "#publisher-db";

export interface LeaseRelease {
  readonly owner: string;
  readonly webhookIds: readonly string[];
}

/**
 * Gives webhooks back. Each is due again when its next attempt is, at once if there is more, and not at all if nothing
 * is left.
 *
 * A wake-up must not get lost between the look and the sleep. Announcing and replaying change the queue's row, and so
 * wait for this statement or are waited for; then this one is judged by the row as they left it. What they say is in the
 * row: the delivery that a replay has just made is not in this statement's snapshot, but that its place is taken is seen.
 */
export async function releaseWebhooks(sql: Sql, { owner, webhookIds }: LeaseRelease): Promise<void> {
  if (webhookIds.length === 0) return;
  await sql`
    with held as materialized (
      select webhook_id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner}
      order by webhook_id
      for update
    )
    update webhook_queues q
    set owner = null,
        lease_until = null,
        due_at = case
          when not q.enabled then null
          when ${hasPending(sql)} then coalesce(
            (
              select d.next_attempt_at from webhook_deliveries d
              where ${isPending(sql)}
              order by d.place, d.part
              limit 1
            ),
            now()
          )
          when q.cursor < q.announced then now()
        end
    from held
    where q.webhook_id = held.webhook_id`;
}
