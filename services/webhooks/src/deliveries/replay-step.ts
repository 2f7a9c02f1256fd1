import { LIMITS } from "#contract";
import type { Sql, Store } from "#postgres";
import { eventsBetween, lockQueueNow, lookAtFailed, markReplayed, queueAgain } from "#publisher-db";
import { type Log, type Repeated, repeat } from "#runtime";

/** A replay that is put into deliveries step by step. */
interface Replay {
  readonly id: number;
  readonly webhookId: string;
  readonly organisationId: string;
  readonly isOfFailed: boolean;
  /** As they were when it was claimed: the same request, made again, moves the ends on. */
  readonly after: number;
  readonly upto: number;
  readonly afterDelivery: string | null;
  readonly uptoPlace: number;
}

/** A process that dies in the middle of a step keeps its replay from others for so long. */
const CLAIM_MS = 2 * LIMITS.statementTimeoutMs;
/** Replays that one statement looks at, so that those which wait cost no more. */
const CLAIM_LOOKS = 50;
/** Such statements of one claim: what is beyond them is due the longest in the next round, as those that wait are put off. */
const CLAIM_STATEMENTS = 20;
/** When one that waits for its webhook is looked at again, and one whose webhook is not enabled or has another before it. */
const WAIT_MS = 250;
const LONG_WAIT_MS = 10_000;
/** How often it is looked for a replay while there has been none. */
const QUIET_MS = 1_000;

/** Makes the steps of all replays, one after the other: one of each organisation that has some, then the next of each. */
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
 * Makes the next step of the replay that has waited longest, if one may be made, but for those of the organisations in
 * `passed`. Gives the organisation that it is of; undefined: there was none to make.
 *
 * A step is made only when the queue is past the deliveries of the step before it, and past the events that were announced
 * then. So at most one step is pending of a webhook, and live events and a replay take turns: neither waits for the end of
 * the other. A webhook has one replay at a time. A look that finds nothing to send again makes no step, and the next one does
 * not wait.
 *
 * What a step sends again is found without a lock, and the queue is locked for a few rows. Faults thought of:
 *
 * - The process dies before the commit: nothing happened, and another one makes the step when the claim has ended.
 * - It dies behind the commit: the replay has moved on with its deliveries, in one transaction.
 * - Two make the same step, because the first was suspended: the second finds that the replay has moved, and makes nothing.
 * - The webhook is deleted: its replays go with its queue.
 * - Somebody has locked the queue: nothing happens, and it is looked at again in a moment. Others' replays do not wait for that.
 * @param passed to it are added the organisation of the step, and those of which many were looked at and none could be made
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

/** However many of an organisation's replays wait, those of others are looked for behind them. */
async function claim(sql: Sql, passed: Set<string>): Promise<Replay | undefined> {
  for (let statements = 0; statements < CLAIM_STATEMENTS; statements++) {
    const looked = await claimAmong(sql, [...passed]);
    const ready = looked.find(({ isReady }) => isReady);
    if (ready !== undefined || looked.length < CLAIM_LOOKS) return ready;
    for (const { organisationId } of looked) passed.add(organisationId);
  }
  return undefined;
}

/** Looks at some replays, puts those off that wait, and claims the first that is ready: those are given. */
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

/** Of each type so many events are looked at, by index: those of other times lie between. */
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
    // Those that were marked before are not sent by this step, so a repeated one sends nothing.
    const sequences = await markReplayed(sql, webhookId, ids);
    const queued = await queueAgain(sql, webhookId, queue, sequences);
    await endStep(sql, replay, { ...queued, announced: queue.announced }, next === undefined);
    return true;
  });
}

/** Whole deliveries, as many as one step has room for, and one at least. */
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

/** What a step put into deliveries, the last place that they have, and what was announced before them. */
interface Queued {
  readonly events: number;
  readonly place: number;
  readonly announced: number;
}

/** A replay is over when nothing is left to look at, unless the same was asked for meanwhile and reaches further. */
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
