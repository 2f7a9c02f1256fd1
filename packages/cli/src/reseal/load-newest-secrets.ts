import type { Sql } from "#postgres";
import type { OwnedWebhookSecret } from "./reseal-webhook-secrets.ts";

/** The secrets that were made last and sign now, of all organisations, newest first: to see whether they open. */
export async function loadNewestSecrets(sql: Sql, limit: number): Promise<OwnedWebhookSecret[]> {
  return sql<OwnedWebhookSecret[]>`
    select id, webhook_id as "webhookId", key_id as "keyId", sealed as bytes
    from webhook_secrets
    where expires_at is null or expires_at > now()
    order by id desc limit ${limit}`;
}
