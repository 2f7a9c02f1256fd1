import { ApiError, LIMITS } from "#contract";
import type { Sql, Store } from "#postgres";
import { lockQueue, lookAtFailed, markReplayed, passed, queueAgain } from "#publisher-db";

/**
 * By id, of any type; or by the time of the event (`since` inclusive, `until` exclusive), of the types that
 * the webhook subscribes to; or all events of deliveries that failed and were not replayed since.
 */
export type ReplayedEvents =
  | { readonly ids: readonly string[] }
  | { readonly since: Date; readonly until?: Date | undefined }
  | "failed";

interface ReplayRequest {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly events: ReplayedEvents;
}

/** The events that the search for a request has found. */
interface Found {
  /** The number of events found; there may be more, if the search did not reach the end. */
  readonly events: number;
  /** All of them, if they fit into one step; undefined: they are queued in steps. */
  readonly sequences: readonly number[] | undefined;
  /** The failed deliveries with these events. */
  readonly deliveryIds?: readonly string[];
  /** The events lie above this number and up to the next. */
  readonly after: number;
  readonly upto: number;
  readonly uptoPlace: number;
}

/**
 * Makes deliveries of events that a webhook had before, in order and after its pending ones, and makes the
 * webhook due. Returns the number of events; undefined if the organisation has no such webhook. Leaves out
 * events that the webhook has not reached yet.
 *
 * It searches before it locks the queue, in statements that each read a bounded number of rows: announcing
 * and the dispatcher wait for that lock, and others wait for a connection. If the events do not fit into one
 * transaction, it records the request (`webhook_replays`), and the webhooks service makes their deliveries
 * step by step. It also records the request while many deliveries are pending, if the events can be found
 * again. Otherwise it refuses: deliveries must not be made faster than they are sent.
 */
export async function replayDeliveries(store: Store, request: ReplayRequest): Promise<number | undefined> {
  const { webhookId, organisationId, events } = request;
  const target = await findTarget(store, request);
  if (target === undefined) return undefined;
  const found = await find(store, request, target);
  if (found.sequences === undefined) return queueInSteps(store, request, found);
  if (found.sequences.length === 0) return 0;
  const { sequences, deliveryIds = [] } = found;
  const queued = await store.begin(async (sql) => {
    const queue = await lockQueue(sql, webhookId, organisationId);
    if (queue === undefined) return undefined;
    if (queue.pending >= LIMITS.deliveriesPending) return "later";
    const again = events === "failed" ? await markReplayed(sql, webhookId, deliveryIds) : sequences;
    return (await queueAgain(sql, webhookId, queue, again)).events;
  });
  if (queued !== "later") return queued;
  if (events !== "failed" && "ids" in events) throw tooManyPending();
  return queueInSteps(store, request, found);
}

interface Target {
  readonly passed: number;
  readonly lastPlace: number;
  readonly types: readonly string[];
}

async function findTarget(
  sql: Sql,
  { webhookId, organisationId }: ReplayRequest,
): Promise<Target | undefined> {
  const [target] = await sql<Target[]>`
    select ${passed(sql)} as passed, q.last_place as "lastPlace", w.events as types
    from webhook_queues q join webhooks w on w.id = q.webhook_id
    where q.webhook_id = ${webhookId} and q.organisation_id = ${organisationId}`;
  return target;
}

function find(
  sql: Sql,
  { events, organisationId, webhookId }: ReplayRequest,
  target: Target,
): Promise<Found> {
  if (events === "failed") return findFailed(sql, webhookId, target);
  if ("ids" in events) return findByIds(sql, organisationId, events.ids, target);
  return findBetween(sql, organisationId, events, target);
}

async function findByIds(
  sql: Sql,
  organisationId: string,
  ids: readonly string[],
  { passed, lastPlace }: Target,
): Promise<Found> {
  const rows = await sql<{ sequence: number }[]>`
    select sequence from events
    where id = any(${ids}::uuid[]) and organisation_id = ${organisationId} and sequence <= ${passed}`;
  const sequences = rows.map(({ sequence }) => sequence);
  return { events: sequences.length, sequences, after: 0, upto: passed, uptoPlace: lastPlace };
}

async function findFailed(sql: Sql, webhookId: string, { passed, lastPlace }: Target): Promise<Found> {
  const sequences = new Set<number>();
  const deliveryIds: string[] = [];
  let after: string | null = null;
  for (let looks = 0; looks < LIMITS.replayLooks; looks++) {
    const look = await lookAtFailed(sql, webhookId, {
      after,
      place: lastPlace,
      limit: LIMITS.eventsPerReplay,
    });
    for (const delivery of look.found) {
      deliveryIds.push(delivery.id);
      for (const sequence of delivery.sequences) sequences.add(sequence);
    }
    after = look.last ?? null;
    if (after === null) break;
  }
  const all = { events: sequences.size, after: 0, upto: passed, uptoPlace: lastPlace };
  const fits = after === null && sequences.size <= LIMITS.eventsPerReplay;
  return fits ? { ...all, sequences: [...sequences], deliveryIds } : { ...all, sequences: undefined };
}

interface Look {
  readonly looked: number;
  readonly found: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly sequences: readonly number[];
  /** Where the next search begins. */
  readonly at: string;
  readonly sequence: number;
}

/**
 * Counts the events of a span of time, a bounded number at a time, and finds their lowest and highest
 * numbers. If there are more than it looks at, the count is open.
 */
async function findBetween(
  sql: Sql,
  organisationId: string,
  { since, until }: { readonly since: Date; readonly until?: Date | undefined },
  { passed, lastPlace, types }: Target,
): Promise<Found> {
  let events = 0;
  let first = Infinity;
  let last = 0;
  // As long as they fit into one step.
  let sequences: readonly number[] = [];
  let [at, sequence] = [since.toISOString(), -1];
  for (let looks = 0; looks < LIMITS.replayLooks; looks++) {
    const [look] = await sql<[Look]>`
      with looked as materialized (
        select e.sequence, e.type, e.at from events e
        where e.organisation_id = ${organisationId} and e.at >= ${at}::text::timestamptz
          ${until === undefined ? sql`` : sql`and e.at < ${until}`}
          and (e.at, e.sequence) > (${at}::text::timestamptz, ${sequence}::bigint)
        order by e.at, e.sequence
        limit ${LIMITS.replayRowsPerLook}
      ),
      wanted as materialized (
        select sequence from looked where sequence <= ${passed} and type = any(${types}::text[])
      ),
      reach as (select at, sequence from looked order by at desc, sequence desc limit 1)
      select (select count(*) from looked) as looked, count(*) as found, min(sequence) as first, max(sequence) as last,
             array(select sequence from wanted order by sequence limit ${LIMITS.eventsPerReplay}) as sequences,
             coalesce((select at::text from reach), '') as at, coalesce((select sequence from reach), 0) as sequence
      from wanted`;
    events += look.found;
    first = Math.min(first, look.first ?? first);
    last = Math.max(last, look.last ?? last);
    const fits = events <= LIMITS.eventsPerReplay;
    sequences = fits ? [...sequences, ...look.sequences] : [];
    [at, sequence] = [look.at, look.sequence];
    if (look.looked < LIMITS.replayRowsPerLook) {
      const reach = { after: first - 1, upto: last, uptoPlace: lastPlace };
      return { ...reach, events, sequences: fits ? sequences : undefined };
    }
  }
  return { events, sequences: undefined, after: 0, upto: passed, uptoPlace: lastPlace };
}

/**
 * Records a replay in steps. If the same request is repeated, the replay continues and includes newer events;
 * it does not start again. The row is committed before the answer, so no crash loses it; a caller without an
 * answer asks again.
 */
async function queueInSteps(
  store: Store,
  { organisationId, webhookId, events }: ReplayRequest,
  found: Found,
): Promise<number | undefined> {
  const span = events === "failed" || "ids" in events ? { since: null, until: null } : events;
  const { since, until = null } = span;
  return store.begin(async (sql) => {
    if ((await lockQueue(sql, webhookId, organisationId)) === undefined) return undefined;
    const [known] = await sql<{ same: number | null; replays: number }[]>`
      select min(id) filter (where since is not distinct from ${since}::timestamptz
                               and until is not distinct from ${until}::timestamptz) as same,
             count(*) as replays
      from webhook_replays where webhook_id = ${webhookId}`;
    if (known?.same != null) {
      await sql`
        update webhook_replays
        set upto_sequence = greatest(upto_sequence, ${found.upto}), upto_place = greatest(upto_place, ${found.uptoPlace}),
            -- From the first on: it has passed those that were pending then and have failed since.
            after_delivery = null
        where id = ${known.same}`;
      return found.events;
    }
    if ((known?.replays ?? 0) >= LIMITS.replaysPerWebhook) throw tooMany(known?.replays ?? 0);
    await sql`
      insert into webhook_replays (due_at, webhook_id, since, until, events, after_sequence, upto_sequence, upto_place)
      values (now(), ${webhookId}, ${since}, ${until}, ${found.events}, ${found.after}, ${found.upto}, ${found.uptoPlace})`;
    return found.events;
  });
}

function tooManyPending(): ApiError {
  return new ApiError(
    "conflict",
    `${LIMITS.deliveriesPending} deliveries of this webhook are pending: ask again when it has got some of them`,
    { reason: "too_many_replays" },
  );
}

function tooMany(replays: number): ApiError {
  return new ApiError(
    "conflict",
    `${replays} replays of this webhook are under way: wait until it has got what they send, or ask for one of them again`,
    { reason: "too_many_replays" },
  );
}
