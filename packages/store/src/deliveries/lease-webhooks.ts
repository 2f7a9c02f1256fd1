import type { Sql } from "../connect.ts";
import type { LeasedWebhook } from "./delivery-work.ts";
import { type LeasedRow, leasedColumns, toLeasedWebhook } from "./leased-webhook.ts";

export interface LeaseRequest {
  /** UUID of this process, a new one at each of its starts. */
  readonly owner: string;
  readonly now: Date;
  readonly leaseUntil: Date;
  /** Webhooks at most. */
  readonly limit: number;
}

/**
 * Takes webhooks that are due and that nobody has, those that have waited longest first. One whose process died is still
 * due, and is taken when its lease has ended.
 */
export async function leaseWebhooks(
  sql: Sql,
  { owner, now, leaseUntil, limit }: LeaseRequest,
): Promise<LeasedWebhook[]> {
  const rows = await sql<LeasedRow[]>`
    with due as materialized (
      select webhook_id from webhook_queues
      where due_at <= ${now} and (lease_until is null or lease_until <= ${now})
      order by due_at
      limit ${limit}
      for update skip locked
    ),
    leased as (
      update webhook_queues q set owner = ${owner}, lease_until = ${leaseUntil}
      from due
      where q.webhook_id = due.webhook_id
      returning q.webhook_id
    )
    select ${leasedColumns(sql, now)}
    from leased join webhooks w on w.id = leased.webhook_id`;
  return rows.map(toLeasedWebhook);
}
