import type { Store } from "#postgres";
import { hasPending, isPending } from "#publisher-db";

/**
 * Fails pending deliveries whose events were all swept: there is nothing left to send, and no delivery may hold up the
 * others for ever. If none is left, the queue is at its end.
 */
export async function dropEmptyDeliveries(
  store: Store,
  {
    owner,
    webhookIds,
    deliveryIds,
  }: {
    readonly owner: string;
    readonly webhookIds: readonly string[];
    readonly deliveryIds: readonly string[];
  },
): Promise<void> {
  await store.begin(async (sql) => {
    // First, so that a replay's new deliveries are seen below or come later.
    const held = await sql<{ id: string }[]>`
      select webhook_id as id from webhook_queues
      where webhook_id = any(${webhookIds}::uuid[]) and owner = ${owner}
      order by webhook_id
      for update`;
    const ids = held.map(({ id }) => id);
    await sql`
      update webhook_deliveries set state = 'failed', failed_at = now(), next_attempt_at = null
      where id = any(${deliveryIds}::uuid[]) and webhook_id = any(${ids}::uuid[]) and state = 'pending'`;
    await sql`
      update webhook_queues q set done_place = q.last_place, done_part = q.last_part
      where q.webhook_id = any(${ids}::uuid[]) and ${hasPending(sql)}
        and not exists (select from webhook_deliveries d where ${isPending(sql)})`;
  });
}
