import { LIMITS, type WebhookState } from "#contract";
import type { Sql } from "#postgres";
import { firstIdAt, passed } from "#publisher-db";

/** The webhook events of one purchase, with their deliveries. */
export interface Told {
  /** In their order. */
  readonly events: readonly TracedEvent[];
  /** The organisation's; empty if there are no events. */
  readonly webhooks: readonly TracedWebhook[];
  /** Deliveries with one of the events, oldest first. */
  readonly deliveries: readonly TracedDelivery[];
}

export interface TracedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly at: Date;
  /** JSON of a `WebhookEvent`. */
  readonly body: string;
  /** No delivery with the event has a lower id. */
  readonly firstDeliveryId: string;
}

export interface TracedWebhook {
  readonly id: string;
  readonly url: string;
  readonly state: WebhookState;
  readonly failingSince: Date | null;
  /** The events that it wants and that no stored delivery contains. */
  readonly waiting: readonly number[];
}

export interface TracedDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly state: "pending" | "delivered" | "failed" | "split";
  readonly attempts: number;
  readonly status: number | null;
  readonly errorClass: string | null;
  readonly createdAt: Date;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  /** The numbers of the purchase's events. */
  readonly sequences: readonly number[];
}

interface TellingOf {
  readonly organisationId: string;
  readonly transactionId: string;
  /** The times at which something was earned or taken back. */
  readonly times: readonly Date[];
}

/** The events of a purchase, and how each was delivered to each webhook. */
export async function readTold(sql: Sql, of: TellingOf): Promise<Told> {
  const events = of.times.length === 0 ? [] : await readEvents(sql, of);
  const webhooks = events.length === 0 ? [] : await readWebhooks(sql, of.organisationId, events);
  const deliveries = webhooks.length === 0 ? [] : await readDeliveries(sql, webhooks, events);
  return { events, webhooks, deliveries };
}

/**
 * Events have no index on their transaction, which nearly every event would pay for. But each has the time of
 * the change that it reports, and this time finds it among the events of one batch of rewards.
 */
function readEvents(sql: Sql, { organisationId, transactionId, times }: TellingOf) {
  const told = [...new Set(times.map((time) => time.toISOString()))];
  return sql<TracedEvent[]>`
    select e.id, e.sequence, e.type, e.at, e.body, ${firstIdAt(sql, sql`e.written_at`)} as "firstDeliveryId"
    from events e
    where e.organisation_id = ${organisationId} and e.at = any(${told}::timestamptz[])
      and e.transaction_id = ${transactionId}
    order by e.sequence`;
}

/** The number of webhooks whose deliveries are searched. If there are more, the oldest ones are. */
const WEBHOOKS_MAX = 100;

function readWebhooks(sql: Sql, organisationId: string, events: readonly TracedEvent[]) {
  return sql<TracedWebhook[]>`
    select w.id, w.url, w.state, w.failing_since as "failingSince",
           array(
             select told.sequence
             from unnest(
               ${events.map(({ sequence }) => sequence)}::bigint[], ${events.map(({ type }) => type)}::text[]
             ) as told (sequence, type)
             where told.type = any(w.events)
               -- Without announced events it has all that it wanted: an earlier one of a type that it wants since does not come.
               and told.sequence > case when q.cursor < q.announced then q.cursor else ${passed(sql)} end
             order by told.sequence
           ) as waiting
    from webhooks w join webhook_queues q on q.webhook_id = w.id
    where w.organisation_id = ${organisationId}
    order by w.id
    limit ${WEBHOOKS_MAX}`;
}

type DeliveryRow = Omit<TracedDelivery, "sequences"> & { readonly sequence: number };

/**
 * Searches like `webhook.delivery/list` with an event: among the deliveries that each webhook got since the
 * event was written. All webhooks together share the bound on rows.
 */
async function readDeliveries(
  sql: Sql,
  webhooks: readonly TracedWebhook[],
  events: readonly TracedEvent[],
): Promise<TracedDelivery[]> {
  const lookedAt = Math.ceil(LIMITS.rowsPerScan / (webhooks.length * events.length));
  const rows = await sql<DeliveryRow[]>`
    select told.sequence, d.id, d.webhook_id as "webhookId", d.state, d.attempts, d.status,
           d.error_class as "errorClass", d.created_at as "createdAt", d.last_attempt_at as "lastAttemptAt",
           d.next_attempt_at as "nextAttemptAt"
    from unnest(${webhooks.map(({ id }) => id)}::uuid[]) as webhook (id)
    cross join unnest(
      ${events.map(({ sequence }) => sequence)}::bigint[],
      ${events.map(({ firstDeliveryId }) => firstDeliveryId)}::uuid[]
    ) as told (sequence, first)
    cross join lateral (
      select * from (
        select * from webhook_deliveries
        where webhook_id = webhook.id and id >= told.first
        order by id
        limit ${lookedAt}
      ) as next_ones
      where next_ones.event_sequences @> array[told.sequence]
    ) as d
    order by d.id, told.sequence`;
  const deliveries = new Map<string, TracedDelivery & { sequences: number[] }>();
  for (const { sequence, ...delivery } of rows) {
    const known = deliveries.get(delivery.id);
    if (known === undefined) deliveries.set(delivery.id, { ...delivery, sequences: [sequence] });
    else known.sequences.push(sequence);
  }
  return [...deliveries.values()];
}
