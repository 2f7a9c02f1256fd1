import type { Sql } from "#postgres";
import { type Webhook, webhookColumns } from "#publisher-db";

/**
 * Removes it with its secrets and its queue, and gives it back as it was. undefined: the organisation has no such webhook.
 * A process that is sending to it finds its lease gone. Its past deliveries cannot be reached any more, and are swept.
 */
export async function deleteWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
): Promise<Webhook | undefined> {
  const [deleted] = await sql<Webhook[]>`
    delete from webhooks
    where id = ${webhookId} and organisation_id = ${organisationId}
    returning ${webhookColumns(sql)}`;
  return deleted;
}
