import type { Sql } from "../connect.ts";
import { keyset } from "../keyset.ts";
import { type Page, type PageRequest, toPage } from "../page.ts";
import { type Webhook, webhookColumns } from "./webhook.ts";

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
