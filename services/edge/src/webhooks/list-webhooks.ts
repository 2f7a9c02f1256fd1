import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { type Webhook, webhookColumns } from "#publisher-db";

/** All of the organisation, oldest first. */
export async function listWebhooks(
  sql: Sql,
  organisationId: string,
  page: PageRequest,
): Promise<Page<Webhook>> {
  const rows = await sql<Webhook[]>`
    select ${webhookColumns(sql)}
    from webhooks
    where organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
