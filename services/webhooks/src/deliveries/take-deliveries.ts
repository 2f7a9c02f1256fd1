import type { Sql, Store } from "#postgres";
import { hasPending, isPending, toldBody } from "#publisher-db";
import {
  type CutRow,
  cutColumns,
  cutEvents,
  eachCut,
  type PendingDelivery,
  takenColumns,
  toCutDelivery,
} from "./cut-events.ts";
import type { OwnedWebhooks } from "./leased-webhook.ts";
import { lockedElsewhere, lockOwned, without } from "./leases.ts";
import { storeTaken } from "./store-taken.ts";

export interface DeliveryRequest extends OwnedWebhooks {
  /** The most deliveries for each webhook. */
  readonly perWebhook: number;
}

interface TakenDeliveries {
  readonly deliveries: PendingDelivery[];
  /** Webhooks that got none because another session has locked their queues; ask for them again. */
  readonly locked: readonly string[];
}

/**
 * The next deliveries of each of these webhooks, in order: its pending ones, up to the first whose time has
 * not come; if there are none, new deliveries of the next events. A webhook that no longer belongs to this
 * owner, or is not enabled, gets none.
 *
 * All deliveries are held in memory, with up to 100 events each: the caller bounds webhooks times deliveries.
 */
export async function takeDeliveries(store: Store, request: DeliveryRequest): Promise<TakenDeliveries> {
  if (request.webhookIds.length === 0) return { deliveries: [], locked: [] };
  const { cut, pending, taken, locked } = await takeNew(store, request);
  if (pending.length === 0) return { deliveries: cut, locked };
  const left = await storeTaken(store, { ...request, webhookIds: taken });
  const rest = await takePending(store, { ...request, webhookIds: without(pending, left) });
  return { deliveries: [...cut, ...rest.deliveries], locked: [...locked, ...left, ...rest.locked] };
}

/** Webhooks with pending deliveries get no new ones; `taken` are those with deliveries that have no rows. */
interface TakenNew {
  readonly cut: PendingDelivery[];
  readonly pending: readonly string[];
  readonly taken: readonly string[];
  readonly locked: readonly string[];
}

/**
 * New deliveries of the next events, for the webhooks that have nothing pending. They get rows once they are answered (`Cut`).
 *
 * Of two simultaneous calls the second finds the row locked, or deliveries pending. Only events up to the horizon that this
 * statement sees are taken, as in `leaseWebhooks`.
 */
async function takeNew(sql: Sql, { owner, webhookIds, perWebhook }: DeliveryRequest): Promise<TakenNew> {
  const rows = await sql<(CutRow & { webhookId: string; pending: boolean; isTaken: boolean })[]>`
    with held as materialized (
      select q.webhook_id, q.organisation_id, q.cursor, q.announced, q.last_place, ${hasPending(sql)} as pending,
             q.taken is not null as is_taken
      from webhook_queues q
      where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner} and q.enabled
      order by q.webhook_id
      for update skip locked
    ),
    queue as materialized (
      select held.webhook_id, held.organisation_id, held.cursor, least(held.announced, h.sequence) as announced,
             held.last_place, held.pending, held.is_taken,
             not held.pending and held.cursor < least(held.announced, h.sequence) as goes
      from held cross join webhook_horizon h
    ),
    ${cutEvents(sql, perWebhook)},
    moved as (
      update webhook_queues q set ${takenColumns(sql, perWebhook)}
      from step s
      where q.webhook_id = s.webhook_id and s.goes
    )
    select s.webhook_id as "webhookId", s.pending, s.is_taken as "isTaken", ${cutColumns(sql)}
    from step s ${eachCut(sql)}
    order by s.webhook_id, c.nth`;
  const missing = without(webhookIds, new Set(rows.map(({ webhookId }) => webhookId)));
  return {
    locked: await lockedElsewhere(sql, { owner, webhookIds: missing }, { enabled: true }),
    cut: rows.map((row) => toCutDelivery(row.webhookId, row)).filter((delivery) => delivery !== undefined),
    pending: rows.filter(({ pending }) => pending).map(({ webhookId }) => webhookId),
    taken: rows.filter(({ isTaken }) => isTaken).map(({ webhookId }) => webhookId),
  };
}

interface NextDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly sequences: readonly number[];
  readonly failures: number;
  readonly refusals: number;
}

/** Pending deliveries that have rows. */
async function takePending(store: Store, request: DeliveryRequest): Promise<TakenDeliveries> {
  const { next, atEnd } = await findPending(store, request);
  // They continue in their next turn, which then handles a locked one.
  if (atEnd.length > 0) await dropEmptyDeliveries(store, { ...request, webhookIds: atEnd }, []);
  const events = await loadEvents(
    store,
    next.flatMap(({ sequences }) => sequences),
  );
  const deliveries = next.map((delivery) => toPending(delivery, events));
  const dropped = deliveries.filter((delivery) => delivery.events === 0);
  if (dropped.length === 0) return { deliveries, locked: [] };
  const webhookIds = [...new Set(dropped.map(({ webhookId }) => webhookId))];
  const droppedIds = dropped.map(({ id }) => id);
  // No delivery may pass an empty one that is still pending: no turn would ever reach the empty one again.
  const locked = new Set(await dropEmptyDeliveries(store, { ...request, webhookIds }, droppedIds));
  const kept = deliveries.filter(({ webhookId, events }) => events > 0 && !locked.has(webhookId));
  return { deliveries: kept, locked: [...locked] };
}

/**
 * `atEnd` are webhooks without pending deliveries whose queue still counts some: they failed after a pending
 * delivery, or were taken and could not be repeated. These webhooks continue in their next turn.
 */
async function findPending(
  sql: Sql,
  { owner, webhookIds, perWebhook }: DeliveryRequest,
): Promise<{ readonly next: NextDelivery[]; readonly atEnd: readonly string[] }> {
  type Row = NextDelivery & { readonly waits: boolean };
  const rows = await sql<(Row | { readonly webhookId: string; readonly id: null })[]>`
    select q.webhook_id as "webhookId", next.id, next.event_sequences as sequences, next.failures, next.refusals,
           coalesce(next.next_attempt_at > now(), false) as waits
    from webhook_queues q left join lateral (
      select d.* from webhook_deliveries d
      where ${isPending(sql)}
      order by d.place, d.part
      limit ${perWebhook}
    ) next on true
    where q.webhook_id = any(${webhookIds}::uuid[]) and q.owner = ${owner} and q.enabled
      and ${hasPending(sql)} and q.taken is null
    order by q.webhook_id, next.place, next.part`;
  const next: NextDelivery[] = [];
  const atEnd: string[] = [];
  let waiting: string | undefined;
  for (const row of rows) {
    const { webhookId } = row;
    if (row.id === null) {
      atEnd.push(webhookId);
      continue;
    }
    // Deliveries after a waiting one wait with it.
    if (row.waits) waiting = webhookId;
    if (waiting !== webhookId) next.push(row);
  }
  return { next, atEnd };
}

function toPending(
  { id, webhookId, sequences, failures, refusals }: NextDelivery,
  events: ReadonlyMap<number, EventBody>,
): PendingDelivery {
  const kept = sequences.map((sequence) => events.get(sequence)).filter((event) => event !== undefined);
  const body = kept.map((event) => event.body).join(",");
  const traceparents = kept.flatMap(({ traceparent }) => traceparent ?? []);
  return { id, webhookId, events: kept.length, body, traceparents, failures, refusals, cut: undefined };
}

interface EventBody {
  readonly body: string;
  /** From the span that made the event; null: it was not traced. */
  readonly traceparent: string | null;
}

/** Events by sequence; swept ones are missing. Reads an event of many webhooks once. */
async function loadEvents(sql: Sql, sequences: Iterable<number>): Promise<ReadonlyMap<number, EventBody>> {
  const wanted = [...new Set(sequences)];
  if (wanted.length === 0) return new Map();
  const rows = await sql<(EventBody & { sequence: number })[]>`
    select e.sequence, ${toldBody(sql)} as body, e.traceparent
    from unnest(${wanted}::bigint[]) as wanted (sequence) join events e using (sequence)`;
  return new Map(rows.map(({ sequence, body, traceparent }) => [sequence, { body, traceparent }]));
}

/**
 * Fails pending deliveries whose events were all swept: nothing is left to send, and no delivery may hold up the others for ever.
 * If no delivery is left, the queue moves to its end.
 * @returns the webhooks whose queues are locked: their deliveries stay
 */
async function dropEmptyDeliveries(
  store: Store,
  { owner, webhookIds }: OwnedWebhooks,
  deliveryIds: readonly string[],
): Promise<string[]> {
  const done = await store.begin(async (sql) => {
    // Locked first, so that a replay's new deliveries are either seen below or made later.
    const ids = await lockOwned(sql, { owner, webhookIds });
    await sql`
      update webhook_deliveries set state = 'failed', failed_at = now(), next_attempt_at = null
      where id = any(${deliveryIds}::uuid[]) and webhook_id = any(${ids}::uuid[]) and state = 'pending'`;
    await sql`
      update webhook_queues q set done_place = q.last_place, done_part = q.last_part
      where q.webhook_id = any(${ids}::uuid[]) and ${hasPending(sql)} and q.taken is null
        and not exists (select from webhook_deliveries d where ${isPending(sql)})`;
    return ids;
  });
  return lockedElsewhere(store, { owner, webhookIds: without(webhookIds, done) }, { enabled: false });
}
