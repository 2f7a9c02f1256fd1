import type { Sql } from "#postgres";
import { leaseEnd } from "./leased-webhook.ts";

export interface LeaseRenewal {
  readonly owner: string;
  readonly webhookIds: readonly string[];
  readonly leaseMs: number;
}

/** Those that are still this owner's and enabled; the others are to be stopped. */
export async function renewLeases(sql: Sql, { owner, webhookIds, leaseMs }: LeaseRenewal): Promise<string[]> {
  if (webhookIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    with held as materialized (
      select webhook_id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner} and enabled
      order by webhook_id
      for update
    )
    update webhook_queues q set lease_until = ${leaseEnd(sql, leaseMs)}
    from held
    where q.webhook_id = held.webhook_id
    returning q.webhook_id as id`;
  return rows.map(({ id }) => id);
}
