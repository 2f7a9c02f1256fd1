import type { Sql } from "../connect.ts";
import { type Webhook, webhookColumns } from "./webhook.ts";

/** What is absent stays as it is. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly state?: "enabled" | "paused" | undefined;
}

/**
 * undefined: the organisation has no such webhook. One that leaves `disabled` begins anew: with the old `failingSince`
 * the next failure would be the end of 72 hours of them, and disable it again.
 */
export async function updateWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
  { url, events, description, state }: WebhookChanges,
): Promise<Webhook | undefined> {
  const [updated] = await sql<Webhook[]>`
    update webhooks
    set url = coalesce(${url}::text, url),
        events = coalesce(${events}::text[], events),
        description = coalesce(${description}::text, description),
        state = coalesce(${state}::text, state),
        failing_since = case when state <> 'disabled' or ${state}::text is null then failing_since end,
        updated_at = now()
    where id = ${webhookId} and organisation_id = ${organisationId}
    returning ${webhookColumns(sql)}`;
  return updated;
}
