import type { Sql } from "#postgres";
import { type Webhook, webhookColumns } from "#publisher-db";

/** undefined: the organisation has no such webhook. */
export async function getWebhook(
  sql: Sql,
  organisationId: string,
  webhookId: string,
): Promise<Webhook | undefined> {
  const [webhook] = await sql<Webhook[]>`
    select ${webhookColumns(sql)}
    from webhooks
    where id = ${webhookId} and organisation_id = ${organisationId}`;
  return webhook;
}
