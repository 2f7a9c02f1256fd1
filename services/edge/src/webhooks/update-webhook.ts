import type { Sql } from "#postgres";
import { isPending, type Webhook, webhookColumns } from "#publisher-db";

/** What is absent stays as it is. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly state?: "enabled" | "paused" | undefined;
}

/**
 * undefined: the organisation has no such webhook. One that leaves `disabled` begins anew: with the old `failingSince`
 * the next failure would be the end of 72 hours of them, and disable it again. One that is enabled goes on where it
 * stopped, at once and with the first step of the schedule; how often its next delivery was refused still counts.
 *
 * The webhook's row is locked before its queue's, as by whoever records attempts.
 */
export async function updateWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
  { url, events, description, state }: WebhookChanges,
): Promise<Webhook | undefined> {
  const [updated] = await sql<Webhook[]>`
    with updated as (
      update webhooks
      set url = coalesce(${url}::text, url),
          events = coalesce(${events}::text[], events),
          description = coalesce(${description}::text, description),
          state = coalesce(${state}::text, state),
          failing_since = case when state <> 'disabled' or ${state}::text is null then failing_since end,
          updated_at = now()
      where id = ${webhookId} and organisation_id = ${organisationId}
      returning *
    ),
    stopped as (
      update webhook_queues q set enabled = false, due_at = null
      from updated
      where q.webhook_id = updated.id and updated.state <> 'enabled' and q.enabled
    ),
    started as (
      update webhook_queues q set enabled = true, due_at = now()
      from updated
      where q.webhook_id = updated.id and updated.state = 'enabled' and not q.enabled
      returning q.webhook_id, q.done_place, q.done_part
    ),
    next as (
      update webhook_deliveries d set next_attempt_at = null, failures = 0
      from started q
      where ${isPending(sql)} and d.failures > 0
    )
    select ${webhookColumns(sql)} from updated`;
  return updated;
}
