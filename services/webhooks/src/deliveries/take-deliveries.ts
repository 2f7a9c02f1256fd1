import type { Sql, Store } from "#postgres";
import { hasPending, isPending } from "#publisher-db";
import type { PendingDelivery } from "./delivery-work.ts";
import { dropEmptyDeliveries } from "./drop-empty-deliveries.ts";
import { type EventBody, loadEvents } from "./load-events.ts";
import { type DeliveryRequest, makeDeliveries } from "./make-deliveries.ts";

interface QueueRow {
  readonly webhookId: string;
  /** Of events that are in no delivery yet. */
  readonly backlog: boolean;
  readonly pending: boolean;
  /** With what follows null where nothing is pending. */
  readonly id: string | null;
  readonly sequences: readonly number[] | null;
  readonly failures: number | null;
  readonly refusals: number | null;
  readonly waits: boolean | null;
}

interface NextDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly sequences: readonly number[];
  readonly failures: number;
  readonly refusals: number;
}

/**
 * What comes next for each of these webhooks, in order: what is pending, up to one whose time has not come; else new
 * deliveries of the events that follow. None for a webhook that is not this owner's any more, or not enabled, and none,
 * or not all, for one that wants few of many events: it is due again when it is released.
 *
 * All of it is held in memory, up to 100 events for each delivery: the caller bounds webhooks times deliveries.
 */
export async function takeDeliveries(store: Store, request: DeliveryRequest): Promise<PendingDelivery[]> {
  if (request.webhookIds.length === 0) return [];
  const { next, empty } = await findPending(store, request);
  if (empty.length > 0) {
    for (const { id, webhookId, sequences } of await makeDeliveries(store, {
      ...request,
      webhookIds: empty,
    })) {
      next.push({ id, webhookId, sequences, failures: 0, refusals: 0 });
    }
  }
  const events = await loadEvents(
    store,
    next.flatMap(({ sequences }) => sequences),
  );
  const deliveries = next.map((delivery) => toPending(delivery, events));
  const dropped = deliveries.filter(({ eventIds }) => eventIds.length === 0);
  if (dropped.length === 0) return deliveries;
  await dropEmptyDeliveries(store, { ...request, deliveryIds: dropped.map(({ id }) => id) });
  return deliveries.filter(({ eventIds }) => eventIds.length > 0);
}

/** `empty`: webhooks with events and without deliveries. */
async function findPending(
  sql: Sql,
  { owner, webhookIds, perWebhook }: DeliveryRequest,
): Promise<{ readonly next: NextDelivery[]; readonly empty: readonly string[] }> {
  const rows = await sql<QueueRow[]>`
    select q.webhook_id as "webhookId", q.cursor < q.announced as backlog, ${hasPending(sql)} as pending,
           next.id, next.event_sequences as sequences, next.failures, next.refusals,
           next.next_attempt_at > now() as waits
    from webhook_queues q left join lateral (
      select d.* from webhook_deliveries d
      where ${isPending(sql)}
      order by d.place, d.part
      limit ${perWebhook}
    ) next on true
    where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner} and q.enabled
    order by q.webhook_id, next.place, next.part`;
  const next: NextDelivery[] = [];
  const empty: string[] = [];
  let waiting: string | undefined;
  for (const { webhookId, backlog, pending, id, sequences, failures, refusals, waits } of rows) {
    if (id === null) {
      if (backlog && !pending) empty.push(webhookId);
      continue;
    }
    // What is behind one that waits, waits with it.
    if (waits) waiting = webhookId;
    if (waiting === webhookId) continue;
    next.push({
      id,
      webhookId,
      sequences: sequences ?? [],
      failures: failures ?? 0,
      refusals: refusals ?? 0,
    });
  }
  return { next, empty };
}

function toPending(
  { id, webhookId, sequences, failures, refusals }: NextDelivery,
  events: ReadonlyMap<number, EventBody>,
): PendingDelivery {
  const kept = sequences.map((sequence) => events.get(sequence)).filter((event) => event !== undefined);
  const eventIds = kept.map((event) => event.id);
  const bodies = kept.map(({ body }) => body);
  const traceparents = kept.flatMap(({ traceparent }) => traceparent ?? []);
  return { id, webhookId, eventIds, bodies, traceparents, failures, refusals };
}
