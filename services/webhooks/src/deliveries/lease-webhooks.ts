import type { Sql } from "#postgres";
import type { LeasedWebhook } from "./delivery-work.ts";
import { type LeasedRow, leasedColumns, leaseEnd, toLeasedWebhook } from "./leased-webhook.ts";

export interface LeaseRequest {
  /** UUID of this process, a new one at each of its starts. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Webhooks at most. */
  readonly limit: number;
}

/**
 * Takes webhooks that are due and that nobody has, those that have waited longest first. One whose process died is still
 * due, and is taken when its lease has ended. What is due and what has ended is the database's to say: the clocks of
 * processes differ, and one that is ahead would take what another one has.
 */
export async function leaseWebhooks(
  sql: Sql,
  { owner, leaseMs, limit }: LeaseRequest,
): Promise<LeasedWebhook[]> {
  const rows = await sql<LeasedRow[]>`
    with due as materialized (
      select webhook_id from webhook_queues
      where due_at <= now() and (lease_until is null or lease_until <= now())
      order by due_at
      limit ${limit}
      for update skip locked
    ),
    leased as (
      update webhook_queues q set owner = ${owner}, lease_until = ${leaseEnd(sql, leaseMs)}
      from due
      where q.webhook_id = due.webhook_id
      returning q.webhook_id
    )
    select ${leasedColumns(sql)}
    from leased join webhooks w on w.id = leased.webhook_id`;
  return rows.map(toLeasedWebhook);
}
