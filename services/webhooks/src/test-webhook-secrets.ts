import type { Sql } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";

/**
 * The secrets that sign a delivery now: the current one first, then earlier ones within their overlap, newest
 * first. Empty: there is no such webhook.
 */
export async function loadWebhookSecrets(sql: Sql, webhookId: string): Promise<SealedWebhookSecret[]> {
  return sql<SealedWebhookSecret[]>`
    select id, key_id as "keyId", sealed as bytes
    from webhook_secrets
    where webhook_id = ${webhookId} and (expires_at is null or expires_at > now())
    order by expires_at is null desc, id desc`;
}
