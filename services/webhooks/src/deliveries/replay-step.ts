import { LIMITS } from "#contract";
import type { Sql, Store } from "#postgres";
import { eventsBetween, lockQueueNow, lookAtFailed, markReplayed, queueAgain } from "#publisher-db";
import { type Log, type Repeated, repeat } from "#runtime";

/** A replay, which becomes deliveries step by step. */
interface Replay {
  readonly id: number;
  readonly webhookId: string;
  readonly organisationId: string;
  readonly isOfFailed: boolean;
  /** The position and the end when it was claimed: the same request, made again, moves the end. */
  readonly after: number;
  readonly upto: number;
  readonly afterDelivery: string | null;
  readonly uptoPlace: number;
}

/** A process that dies during a step keeps its replay from others for this time. */
const CLAIM_MS = 2 * LIMITS.statementTimeoutMs;
/** The most replays that one statement reads. */
const CLAIM_LOOKS = 50;
/**
 * The most such statements of one claim. Replays that wait are postponed, so the next round begins with the
 * rest.
 */
const CLAIM_STATEMENTS = 20;
/** The delay until the next look: if the replay waits for its webhook, or if the webhook is disabled or has an earlier replay. */
const WAIT_MS = 250;
const LONG_WAIT_MS = 10_000;
/** The time between looks while there is no replay. */
const QUIET_MS = 1_000;

/** Makes the steps of all replays, one after the other: one for each organisation, then the next for each. */
export function startReplays(store: Store, log: Log): Repeated {
  const work = async (signal: AbortSignal) => {
    let isBusy = false;
    let isMade = false;
    const passed = new Set<string>();
    while (!signal.aborted) {
      if ((await stepReplay(store, passed)) !== undefined) isBusy = isMade = true;
      else if (isMade) {
        isMade = false;
        passed.clear();
      } else break;
    }
    return isBusy;
  };
  const every = { everyMs: WAIT_MS, quietMs: QUIET_MS };
  return repeat({ name: "replays", ...every, work, failed: "replay failed", log });
}

/**
 * Makes the next step of the replay that has waited longest, except for organisations in `passed`, if a step may be made.
 *
 * A step is made only when the queue is past the deliveries of the previous step, and past the events that were announced then. So a
 * webhook has at most one pending step, and live events and a replay take turns: neither waits for the end of the other. A webhook
 * has one replay at a time. A look that finds nothing to send again makes no step, and the next look does not wait.
 *
 * The events of a step are found without a lock, and the queue is locked only to write a few rows. Faults considered:
 *
 * - The process dies before the commit: nothing happened, and another process makes the step when the claim has ended.
 * - It dies after the commit: the replay has moved on with its deliveries, in one transaction.
 * - Two processes make the same step, because the first was suspended: the second finds that the replay has moved, and does nothing.
 * - The webhook is deleted: its replays go with its queue.
 * - Another session has locked the queue: nothing happens, and the next look comes in a moment. Other replays do not wait.
 * @param passed gets the organisation of the step, and organisations whose many replays could not make a step
 * @returns the organisation of the step; undefined: no step was made
 */
export async function stepReplay(store: Store, passed = new Set<string>()): Promise<string | undefined> {
  const replay = await claim(store, passed);
  if (replay === undefined) return undefined;
  passed.add(replay.organisationId);
  const isMade = await (replay.isOfFailed ? stepFailed(store, replay) : stepEvents(store, replay));
  if (!isMade) {
    await store`
      update webhook_replays set due_at = now() + ${WAIT_MS}::float8 * interval '1 millisecond' where id = ${replay.id}`;
  }
  return replay.organisationId;
}

/** Waiting replays of one organisation must not hide those of others. */
async function claim(sql: Sql, passed: Set<string>): Promise<Replay | undefined> {
  for (let statements = 0; statements < CLAIM_STATEMENTS; statements++) {
    const looked = await claimAmong(sql, [...passed]);
    const ready = looked.find(({ isReady }) => isReady);
    if (ready !== undefined || looked.length < CLAIM_LOOKS) return ready;
    for (const { organisationId } of looked) passed.add(organisationId);
  }
  return undefined;
}

/**
 * Reads some replays, postpones those that wait, and claims the first that is ready. @returns all of these
 */
async function claimAmong(sql: Sql, passed: readonly string[]): Promise<(Replay & { isReady: boolean })[]> {
  const after = (ms: number) => sql`now() + ${ms}::float8 * interval '1 millisecond'`;
  return sql<(Replay & { isReady: boolean })[]>`
    with looked as materialized (
      select r.id, r.webhook_id, r.place, r.announced, r.due_at
      from webhook_replays r join webhook_queues q using (webhook_id)
      where r.due_at <= now() and q.organisation_id <> all(${passed}::uuid[])
      order by r.due_at
      limit ${CLAIM_LOOKS}
      for update of r skip locked
    ),
    judged as materialized (
      select l.id, l.due_at, q.organisation_id, q.enabled and isfirst.yes as goes,
             q.enabled and isfirst.yes and q.done_place >= l.place and q.cursor >= l.announced
               and q.last_place - q.done_place < ${LIMITS.deliveriesPending}::int as ready
      from looked l join webhook_queues q using (webhook_id) cross join lateral (
        select not exists (select from webhook_replays o where o.webhook_id = l.webhook_id and o.id < l.id) as yes
      ) isfirst
    ),
    chosen as (select id from judged where ready order by due_at limit 1)
    update webhook_replays r
    set due_at = case
      when j.ready then ${after(CLAIM_MS)} when j.goes then ${after(WAIT_MS)} else ${after(LONG_WAIT_MS)}
    end
    from judged j
    where r.id = j.id and (not j.ready or r.id in (select id from chosen))
    returning r.id, r.webhook_id as "webhookId", j.organisation_id as "organisationId", r.since is null as "isOfFailed", r.after_sequence as after,
              r.upto_sequence as upto, r.after_delivery as "afterDelivery", r.upto_place as "uptoPlace", j.ready as "isReady"`;
}

/** Reads a bounded number of events of each type, by index: events outside the replay's times lie between. */
async function stepEvents(store: Store, replay: Replay): Promise<boolean> {
  const most = LIMITS.replayRowsPerLook / 4;
  const { upto } = replay;
  const [look] = await store<[{ looked: number; last: number | null; found: number[] }]>`
    with looked as materialized (
      select e.sequence, e.at >= r.since and (r.until is null or e.at < r.until) as wanted
      from webhook_replays r join webhooks w on w.id = r.webhook_id cross join unnest(w.events) as wanted (type)
      cross join lateral (
        select e.sequence, e.at from events e
        where ${eventsBetween(store, {
          organisationId: store`w.organisation_id`,
          type: store`wanted.type`,
          after: store`r.after_sequence`,
          upto: store`${upto}::bigint`,
        })}
        limit ${most}
      ) e
      where r.id = ${replay.id}
      order by e.sequence
      limit ${most}
    )
    select count(*) as looked, max(sequence) as last,
           array(select sequence from looked where wanted order by sequence limit ${LIMITS.eventsPerReplay}) as found
    from looked`;
  const isFull = look.found.length === LIMITS.eventsPerReplay;
  const next = isFull ? look.found.at(-1) : look.looked < most ? undefined : (look.last ?? undefined);
  return store.begin(async (sql) => {
    const queue = await lockQueueNow(sql, replay.webhookId);
    if (queue === undefined) return false;
    const moved = await sql`
      update webhook_replays
      set after_sequence = ${next ?? upto}, due_at = now()
      where id = ${replay.id} and after_sequence = ${replay.after}
      returning id`;
    if (moved.length === 0) return true;
    const queued = await queueAgain(sql, replay.webhookId, queue, look.found);
    await endStep(sql, replay, { ...queued, announced: queue.announced }, next === undefined);
    return true;
  });
}

async function stepFailed(store: Store, replay: Replay): Promise<boolean> {
  const { webhookId, afterDelivery, uptoPlace } = replay;
  const look = await lookAtFailed(store, webhookId, {
    after: afterDelivery,
    place: uptoPlace,
    limit: LIMITS.eventsPerReplay,
  });
  const { ids, isCut } = firstOf(look.found);
  const next = isCut ? ids.at(-1) : look.last;
  return store.begin(async (sql) => {
    const queue = await lockQueueNow(sql, webhookId);
    if (queue === undefined) return false;
    const moved = await sql`
      update webhook_replays
      set after_delivery = ${next ?? afterDelivery}, due_at = now()
      where id = ${replay.id} and after_delivery is not distinct from ${afterDelivery}::uuid
      returning id`;
    if (moved.length === 0) return true;
    // Deliveries that are marked already are not sent, so a repeated step sends nothing.
    const sequences = await markReplayed(sql, webhookId, ids);
    const queued = await queueAgain(sql, webhookId, queue, sequences);
    await endStep(sql, replay, { ...queued, announced: queue.announced }, next === undefined);
    return true;
  });
}

/** Whole deliveries, as many as fit into one step, but at least one. */
function firstOf(found: ReadonlyArray<{ readonly id: string; readonly sequences: readonly number[] }>) {
  const ids: string[] = [];
  let events = 0;
  for (const { id, sequences } of found) {
    if (events > 0 && events + sequences.length > LIMITS.eventsPerReplay) return { ids, isCut: true };
    ids.push(id);
    events += sequences.length;
  }
  return { ids, isCut: false };
}

/** The events that a step queued, the last place of their deliveries, and the queue's `announced` before. */
interface Queued {
  readonly events: number;
  readonly place: number;
  readonly announced: number;
}

/** Ends a replay when no events are left to read, unless a new request moved its end meanwhile. */
async function endStep(
  sql: Sql,
  { id, upto, uptoPlace }: Replay,
  { events, place, announced }: Queued,
  isEnd: boolean,
): Promise<void> {
  if (events > 0) {
    await sql`
      update webhook_replays r
      set place = ${place}, announced = ${announced}, events = greatest(0, r.events - ${events}::bigint)
      where id = ${id}`;
  }
  if (!isEnd) return;
  await sql`
    delete from webhook_replays where id = ${id} and upto_sequence = ${upto} and upto_place = ${uptoPlace}`;
}
