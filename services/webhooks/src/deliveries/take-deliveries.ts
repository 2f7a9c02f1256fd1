import { LIMITS } from "#contract";
import type { Fragment, Sql, Store } from "#postgres";
import { hasPending, insertDeliveries, isPending, waitingEvents } from "#publisher-db";
import type { OwnedWebhooks } from "./leases.ts";

/** One request to be made; the same id over all of its attempts. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** In the order of the events. */
  readonly eventIds: readonly string[];
  /** The JSON of each event. */
  readonly bodies: readonly string[];
  /** Those of the spans that made the events, for each event that was traced. */
  readonly traceparents: readonly string[];
  /** How many attempts failed so far. */
  readonly failures: number;
  /** How many of them were refused with a 4xx that counts (contract, section 10). */
  readonly refusals: number;
}

export interface DeliveryRequest extends OwnedWebhooks {
  /** How many deliveries for each webhook at most. */
  readonly perWebhook: number;
}

interface QueueRow {
  readonly webhookId: string;
  /** Whether there are events that are in no delivery yet. */
  readonly backlog: boolean;
  readonly pending: boolean;
  /** This and all below are null where nothing is pending. */
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
 * The next deliveries of each of these webhooks, in order: its pending ones, up to one whose time has not come; without
 * pending ones, new deliveries of the events that follow. A webhook that is not this owner's any more, or not enabled, gets
 * none.
 *
 * All of it is held in memory, up to 100 events for each delivery: the caller bounds webhooks times deliveries.
 */
export async function takeDeliveries(store: Store, request: DeliveryRequest): Promise<PendingDelivery[]> {
  if (request.webhookIds.length === 0) return [];
  const { next, empty, atEnd } = await findPending(store, request);
  if (atEnd.length > 0) await dropEmptyDeliveries(store, { ...request, webhookIds: atEnd }, []);
  const made = empty.length === 0 ? [] : await makeDeliveries(store, { ...request, webhookIds: empty });
  for (const { id, webhookId, sequences } of made) {
    next.push({ id, webhookId, sequences, failures: 0, refusals: 0 });
  }
  const sequences = next.flatMap((delivery) => delivery.sequences);
  const events = await loadEvents(store, sequences);
  const deliveries = next.map((delivery) => toPending(delivery, events));
  const dropped = deliveries.filter(({ eventIds }) => eventIds.length === 0);
  if (dropped.length === 0) return deliveries;
  const droppedIds = dropped.map(({ id }) => id);
  await dropEmptyDeliveries(store, request, droppedIds);
  return deliveries.filter(({ eventIds }) => eventIds.length > 0);
}

/**
 * `empty` are the webhooks that have events and no pending deliveries, `atEnd` those whose queue still counts deliveries that
 * failed behind one that was pending then: these go on in their next turn.
 */
async function findPending(
  sql: Sql,
  { owner, webhookIds, perWebhook }: DeliveryRequest,
): Promise<{
  readonly next: NextDelivery[];
  readonly empty: readonly string[];
  readonly atEnd: readonly string[];
}> {
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
  const atEnd: string[] = [];
  let waiting: string | undefined;
  for (const { webhookId, backlog, pending, id, sequences, failures, refusals, waits } of rows) {
    if (id === null) {
      if (pending) atEnd.push(webhookId);
      else if (backlog) empty.push(webhookId);
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
  return { next, empty, atEnd };
}

interface MadeDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly place: number;
  readonly sequences: readonly number[];
}

/**
 * Puts the next events that each webhook wants into deliveries, for those webhooks that have none pending, and moves the
 * cursors past these events; past all that is announced where these are all that it wants of it.
 *
 * The queues are locked by a statement of their own. One statement that had to wait for the lock would see in the row how far
 * events are announced, but not those events in its snapshot, and would pass them over; or it would make deliveries beside
 * those of a replay that it does not see. Of two calls at one time the second finds deliveries pending, and makes none.
 */
async function makeDeliveries(
  store: Store,
  { owner, webhookIds, perWebhook }: DeliveryRequest,
): Promise<MadeDelivery[]> {
  const wanted = perWebhook * LIMITS.eventsPerDelivery;
  return store.begin(async (sql) => {
    const held = await sql<{ id: string }[]>`
      select q.webhook_id as id from webhook_queues q
      where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner} and q.enabled
        and not ${hasPending(sql)} and q.cursor < q.announced
      order by q.webhook_id
      for update`;
    if (held.length === 0) return [];
    const ready = held.map(({ id }) => id);
    const made = sql`(
      select f.webhook_id, f.organisation_id, f.last_place + f.nth as place, 0 as part,
             array_agg(f.sequence order by f.sequence) as event_sequences
      from found f
      group by f.webhook_id, f.organisation_id, f.last_place, f.nth
      order by f.webhook_id, f.nth
    ) as made`;
    return sql<MadeDelivery[]>`
      with ${findEvents(sql, ready, wanted)},
      made as (
        ${insertDeliveries(sql, made)}
        returning id, webhook_id, place, event_sequences
      ),
      reached as (
        select q.webhook_id, count(f.sequence) as events, max(f.sequence) as last, coalesce(max(f.nth), 0) as deliveries
        from queue q left join found f using (webhook_id)
        group by q.webhook_id
      ),
      moved as (
        update webhook_queues q
        set cursor = case when r.events = ${wanted} then r.last else q.announced end,
            last_place = q.last_place + r.deliveries,
            last_part = case when r.deliveries > 0 then 0 else q.last_part end
        from reached r
        where q.webhook_id = r.webhook_id
      )
      select id, webhook_id as "webhookId", place, event_sequences as sequences
      from made
      order by webhook_id, place`;
  });
}

/** The events that each `queue` goes on with are `found`, each with the `nth` delivery that it goes into. */
function findEvents(sql: Sql, webhookIds: readonly string[], wanted: number): Fragment {
  return sql`
    queue as materialized (
      select q.webhook_id, q.organisation_id, q.cursor, q.announced, q.last_place, w.events
      from webhook_queues q join webhooks w on w.id = q.webhook_id
      where q.webhook_id = any(${webhookIds}::uuid[])
    ),
    found as materialized (
      select q.webhook_id, q.organisation_id, q.last_place, e.sequence,
             1 + (row_number() over (partition by q.webhook_id order by e.sequence) - 1)
               / ${LIMITS.eventsPerDelivery}::int as nth
      from queue q cross join lateral (${waitingEvents(sql, { types: sql`q.events`, limit: wanted })}) e
    )`;
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

interface EventBody {
  readonly id: string;
  readonly body: string;
  /** That of the span that made the event; null: it was not traced. */
  readonly traceparent: string | null;
}

/** By sequence; events that were swept are missing. An event that many webhooks get is read once. */
async function loadEvents(sql: Sql, sequences: Iterable<number>): Promise<ReadonlyMap<number, EventBody>> {
  const wanted = [...new Set(sequences)];
  if (wanted.length === 0) return new Map();
  const rows = await sql<(EventBody & { sequence: number })[]>`
    select e.sequence, e.id, e.body, e.traceparent
    from unnest(${wanted}::bigint[]) as wanted (sequence) join events e using (sequence)`;
  return new Map(rows.map(({ sequence, id, body, traceparent }) => [sequence, { id, body, traceparent }]));
}

/**
 * Fails pending deliveries whose events were all swept: there is nothing left to send, and no delivery may hold up the
 * others for ever. If none is left, the queue is at its end.
 */
async function dropEmptyDeliveries(
  store: Store,
  { owner, webhookIds }: OwnedWebhooks,
  deliveryIds: readonly string[],
): Promise<void> {
  await store.begin(async (sql) => {
    // Locked first, so that a replay's new deliveries are either seen below or made later.
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
