import type { Sql } from "#postgres";
import type { SealedWebhookSecret } from "#publisher-db";

/**
 * The secrets that sign a delivery now, the current one first, then from the newest to the oldest of those before it
 * whose overlap lasts. Empty: there is no such webhook. For the sender, which works for every organisation.
 */
export async function loadWebhookSecrets(sql: Sql, webhookId: string): Promise<SealedWebhookSecret[]> {
  return sql<SealedWebhookSecret[]>`
    select id, key_id as "keyId", sealed as bytes
    from webhook_secrets
    where webhook_id = ${webhookId} and (expires_at is null or expires_at > now())
    order by expires_at is null desc, id desc`;
}
