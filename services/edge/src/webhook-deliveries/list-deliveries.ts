import type { Fragment, Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { isPending } from "#publisher-db";
import type { DeliveryRecord, DeliveryStanding } from "./delivery-record.ts";

export interface DeliveryListing {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly state?: DeliveryStanding | undefined;
}

/** A webhook's deliveries, oldest first; undefined if the organisation has no such webhook. */
export async function listDeliveries(
  sql: Sql,
  { organisationId, webhookId, state }: DeliveryListing,
  page: PageRequest,
): Promise<Page<DeliveryRecord> | undefined> {
  const known = await sql`
    select from webhooks where id = ${webhookId} and organisation_id = ${organisationId}`;
  if (known.length === 0) return undefined;
  const rows = await sql<DeliveryRecord[]>`
    with listed as materialized (
      select * from webhook_deliveries d
      where webhook_id = ${webhookId} ${inState(sql, webhookId, state)} ${keyset(sql, page)}
    )
    select id, webhook_id as "webhookId", state, attempts, status, error_class as "errorClass", answer,
           created_at as "createdAt", last_attempt_at as "lastAttemptAt", next_attempt_at as "nextAttemptAt",
           array(
             select e.id
             from unnest(event_sequences) with ordinality as of (sequence, nth) join events e using (sequence)
             order by of.nth
           ) as "eventIds"
    from listed
    order by id`;
  return toPage(rows, page.limit);
}

/** Each in the words that its index has: failed and pending ones are few among those that were delivered. */
function inState(sql: Sql, webhookId: string, state: DeliveryStanding | undefined): Fragment {
  if (state === undefined) return sql``;
  if (state === "failed") return sql`and failed_at is not null`;
  if (state === "delivered") return sql`and state = 'delivered'`;
  return sql`and id in (
    select d.id from webhook_queues q join webhook_deliveries d on ${isPending(sql)} where q.webhook_id = ${webhookId}
  )`;
}
