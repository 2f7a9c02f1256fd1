import type { Sql } from "#postgres";
import { type SealedWebhookSecret, type Webhook, webhookColumns } from "#publisher-db";

export interface NewWebhook {
  readonly id: string;
  readonly organisationId: string;
  readonly url: string;
  /** At least one. */
  readonly events: readonly string[];
  readonly description: string;
  readonly secret: SealedWebhookSecret;
}

/**
 * Enabled from the start. One statement makes it with its secret and its queue: there is no webhook that could not sign.
 * It gets what is announced from now on.
 */
export async function createWebhook(sql: Sql, webhook: NewWebhook): Promise<Webhook> {
  const { id, organisationId, url, events, description, secret } = webhook;
  const [created] = await sql<[Webhook]>`
    with created as (
      insert into webhooks (id, organisation_id, url, events, description)
      values (${id}, ${organisationId}, ${url}, ${events}::text[], ${description})
      returning *
    ), secret as (
      insert into webhook_secrets (id, webhook_id, key_id, sealed)
      values (${secret.id}, ${id}, ${secret.keyId}, ${secret.bytes})
    ), queue as (
      insert into webhook_queues (webhook_id, organisation_id, cursor, announced, enabled)
      select ${id}, ${organisationId}, sequence, sequence, true from webhook_horizon
    )
    select ${webhookColumns(sql)} from created`;
  return created;
}
