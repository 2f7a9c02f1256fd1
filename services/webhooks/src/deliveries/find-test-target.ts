import type { Sql } from "#postgres";
import type { LeasedWebhook } from "./delivery-work.ts";
import { type LeasedRow, leasedColumns, toLeasedWebhook } from "./leased-webhook.ts";

export interface TestTarget {
  readonly organisationId: string;
  readonly webhookId: string;
}

/** Where a test goes to, whatever the webhook's state; nothing is leased. undefined: the organisation has no such webhook. */
export async function findTestTarget(
  sql: Sql,
  { organisationId, webhookId }: TestTarget,
): Promise<LeasedWebhook | undefined> {
  const [row] = await sql<LeasedRow[]>`
    select ${leasedColumns(sql)} from webhooks w
    where w.id = ${webhookId} and w.organisation_id = ${organisationId}`;
  return row && toLeasedWebhook(row);
}
