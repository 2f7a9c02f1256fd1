import { LIMITS } from "#contract";
import { type Fragment, isLockTimeout, type Sql } from "#postgres";
import { hasPending } from "#publisher-db";
import { cutColumns, cutEvents, eachCut, takenColumns } from "./cut-events.ts";
import { findSettled } from "./find-settled.ts";
import { announceMissed, tellStarted } from "./late-announcements.ts";
import { type LeasedRow, type LeasedWebhook, leasedColumns, toLeasedWebhooks } from "./leased-webhook.ts";
import { type LeaseRequest, leaseEnd, shareOf } from "./leases.ts";

/** The most numbers that one step passes: some 20 ms, however many events wait beyond the horizon. */
export const NUMBERS_PER_STEP = 20_000;

/** The result of one step of the horizon. */
export interface Advanced {
  /**
   * Events that the step passed: 0 if there are none, if another process is making a step, or if a writer
   * takes long.
   */
  readonly events: number;
  /** Webhooks that the step leased, because it has events for them. */
  readonly leased: readonly LeasedWebhook[];
  /** Whether webhooks are due that no process has leased. */
  readonly isMore: boolean;
  /** Whether the step gave up, because a writer took too long. */
  readonly isHeldUp: boolean;
  /** Whether announcements of events that the horizon has passed are still to be made (`announceMissed`). */
  readonly isMissed: boolean;
  /** Whether the next step has something to do now. */
  readonly isBehind: boolean;
  /** The number up to which all events are known to be committed or gone; 0: the horizon has passed it. */
  readonly settled: number;
}

export const NOTHING: Advanced = {
  events: 0,
  leased: [],
  isMore: false,
  isHeldUp: false,
  isMissed: false,
  isBehind: false,
  settled: 0,
};

interface HorizonRequest extends LeaseRequest {
  /** The most numbers to pass. */
  readonly numbers?: number | undefined;
}

/**
 * Finds out how far events are settled, moves the horizon there, and makes the webhooks due that want one of
 * the new events. It leases up to `limit` of them in the same statement, so that a lone event costs one
 * statement and one commit until it is sent. One call passes a bounded part of the numbers and commits it, so
 * each step takes the same time, however large the backlog is, and no step is repeated.
 *
 * If the answer is lost, the leased webhooks wait until the lease ends; then their deliveries are made as
 * they were taken.
 *
 * The step takes no lock that a writer may want, so it holds up no writer. A writer that hangs before its
 * commit keeps the horizon where it is, because its numbers may still be committed; it holds up nothing else.
 *
 * If another session holds the lock of one webhook's queue for long, only that webhook is held up: the others
 * get their events, and it gets its own once the lock is free. While there are such webhooks, no step waits
 * for a lock.
 * @param before the last call's result. If it was held up, this call asks for the writers first: the same
 * number is still missing
 */
export async function advanceHorizon(
  sql: Sql,
  request: HorizonRequest,
  before: Pick<Advanced, "isHeldUp" | "isMissed" | "settled"> = NOTHING,
): Promise<Advanced> {
  const isMissed = before.isMissed && (await announceMissed(sql));
  if (!before.isHeldUp) {
    // Nearly always no number is missing, or the missing ones are known never to come.
    const advanced = await announce(sql, before.settled, request, isMissed);
    if (advanced !== "gap") return advanced;
  }
  const settled = await findSettled(sql);
  if (settled === undefined) return { ...NOTHING, isMissed };
  if (settled === "held up") {
    // Events that the horizon has passed need not wait for the writer.
    await tellStarted(sql);
    return { ...NOTHING, isHeldUp: true, isMissed };
  }
  const advanced = await announce(sql, settled, request, isMissed);
  return advanced === "gap" ? { ...NOTHING, isMissed } : advanced;
}

/**
 * Each row repeats the result of the step. If the step leased no webhook, there is one row, without an id.
 */
type AdvancedRow = Pick<Advanced, "isMore" | "isMissed" | "isBehind"> & {
  readonly passed: number;
  readonly isGap: boolean;
  readonly isUntold: boolean;
  readonly horizon: number;
} & ({ readonly id: null } | LeasedRow);

/**
 * Moves the horizon, announces the new events to the webhooks that want one, and leases those that no process
 * has.
 *
 * It passes all numbers up to `settled`. Beyond that it goes up to the highest number that can be seen, if
 * each number from the horizon on can be seen: then all of them are committed. A missing number ("gap") may
 * still be committed, or was drawn by a writer that rolled back; `findSettled` finds that out. The step never
 * passes more than `numbers`.
 *
 * Webhooks that are not enabled cost nothing here: `tellStarted` announces to them when they are started. The
 * cursor of a webhook that had nothing left first moves to the old horizon: the webhook did not want the
 * events before, and a type that it subscribes to later must start here and not at events of weeks ago.
 *
 * A webhook that is made meanwhile is not seen here, and starts at the old horizon. It never gets the events
 * announced here, which is right: they were committed before it was made.
 *
 * Only the session that holds the horizon's row announces, and it has checked that the row is where this
 * statement saw it. So a queue that the statement waited for names no event that it does not see.
 *
 * Webhooks are found by index, however many organisations the planner expects: `offset 0` keeps it from
 * joining all webhooks. Only those that want one of the types are looked at: a webhook of a rare type costs
 * nothing until it has an event.
 *
 * The statement waits for other sessions that lock a queue for some milliseconds. If a lock lasts longer, the
 * statement is rolled back, the horizon with it, and made again without waiting: it notes the webhooks whose
 * queue is locked, and announces to them later.
 */
async function announce(
  sql: Sql,
  settled: number,
  request: HorizonRequest,
  isMissed: boolean,
): Promise<Advanced | "gap"> {
  try {
    if (!isMissed) return await tell(sql, settled, request, "wait");
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
  return tell(sql, settled, request, "skip");
}

/** What to do about a queue that another session has locked: "wait" for a bounded time, or "skip" it. */
type Locked = "wait" | "skip";

async function tell(
  sql: Sql,
  settled: number,
  request: HorizonRequest,
  locked: Locked,
): Promise<Advanced | "gap"> {
  const { owner, leaseMs, limit, perWebhook } = request;
  const rows = await sql<AdvancedRow[]>`
    with ${tellWebhooks(sql, settled, locked, request)},
    queue as materialized (
      select told.*, told.turn <= ${limit}::int as chosen,
             told.turn <= ${limit}::int and ${perWebhook}::int > 0 and not told.pending as goes
      from told
    ),
    ${cutEvents(sql, perWebhook)},
    moved as (
      update webhook_horizon h set sequence = held.upto from held
    ),
    announced as (
      update webhook_queues q
      set announced = s.announced,
          due_at = case when q.enabled then coalesce(q.due_at, now()) end,
          owner = case when s.chosen then ${owner}::uuid else q.owner end,
          lease_until = case when s.chosen then ${leaseEnd(sql, leaseMs)} else q.lease_until end,
          ${takenColumns(sql, perWebhook)}
      from ${few(sql, sql`step`)} s
      where q.webhook_id = s.webhook_id
    ),
    leased as (
      select ${leasedColumns(sql)}, c.nth, ${cutColumns(sql)}
      from step s cross join lateral (select * from webhooks where id = s.webhook_id offset 0) w ${eachCut(sql)}
      where s.chosen
    )
    select case when exists (select from held) then look.events else 0 end as passed,
           look.newest > look.horizon and not look.may_pass as "isGap",
           coalesce((select upto from held), look.horizon) as horizon,
           look.newest > coalesce((select upto from held), look.newest) as "isBehind",
           exists (select from webhook_starts) as "isUntold",
           exists (select from step where turn > ${limit}::int) or exists (select from shared where is_left) as "isMore",
           exists (select from missed) or exists (select from webhook_announcements) as "isMissed",
           leased.*
    from look left join leased on true
    order by leased.id, leased.nth`;
  const [{ passed, isGap, isMore, isMissed, isUntold, isBehind, horizon }] = rows as [AdvancedRow];
  const isTold = isUntold && (await tellStarted(sql));
  if (isGap) return "gap";
  return {
    events: passed,
    leased: toLeasedWebhooks(rows.filter((row) => row.id !== null)),
    isMore: isMore || isTold,
    isHeldUp: false,
    isMissed,
    isBehind: isBehind || isTold,
    settled: settled > horizon ? settled : 0,
  };
}

/**
 * All rows of a table expression, but the planner expects a thousandth of them: it estimates an unknown limit as a tenth. So it
 * looks up other rows by them, one by one; otherwise it would read an index from end to end.
 */
function few(sql: Sql, table: Fragment): Fragment {
  const all = Number.MAX_SAFE_INTEGER;
  return sql`(
    select * from (select * from (select * from ${table} limit ${all}) as a limit ${all}) as b limit ${all}
  )`;
}

/** Table expressions: `told` are the webhooks that want new events; it is empty if there are none to announce. */
function tellWebhooks(
  sql: Sql,
  settled: number,
  locked: Locked,
  { shares, numbers = NUMBERS_PER_STEP }: HorizonRequest,
): Fragment {
  // Set for this statement before it locks a row: all later expressions need the horizon.
  const wait = sql`, set_config('lock_timeout', ${String(LIMITS.announceLockWaitMs)}, true)`;
  return sql`
    horizon as materialized (
      select sequence, tellings, sequence + ${numbers}::bigint as reach${locked === "wait" ? wait : sql``}
      from webhook_horizon limit 1
    ),
    fresh as materialized (
      select organisation_id, type, max(sequence) as last, count(*) as events
      from events
      where sequence > (select sequence from horizon)
        and sequence <= (select case when ${settled}::bigint > sequence then least(reach, ${settled}::bigint) else reach end from horizon)
      group by organisation_id, type
    ),
    look as materialized (
      select l.*, l.upto > l.horizon and (l.is_settled or l.last - l.events = l.horizon) as may_pass
      from (
        select h.sequence as horizon, h.tellings, f.last, f.events, f.newest, ${settled}::bigint > h.sequence as is_settled,
               case when ${settled}::bigint > h.sequence then least(h.reach, ${settled}::bigint) else f.last end as upto
        from horizon h cross join (
          select coalesce(max(last), 0) as last, coalesce(sum(events), 0)::bigint as events,
                 coalesce((select max(sequence) from events), 0) as newest
          from fresh
        ) f
      ) l
    ),
    held as materialized (
      select h.sequence as after, look.upto
      from webhook_horizon h cross join look
      where h.sequence = look.horizon and h.tellings = look.tellings and look.may_pass
      limit 1
      for update of h skip locked
    ),
    wanted as materialized (
      -- If an announcement is still to be made, its events come first.
      select s.webhook_id, max(fresh.last) as last,
             least(held.after, (select a.after_sequence from webhook_announcements a where a.webhook_id = s.webhook_id)) as after
      from held cross join fresh cross join lateral (
        select webhook_id from webhook_subscribers
        where organisation_id = fresh.organisation_id and type = fresh.type
        offset 0
      ) s
      group by s.webhook_id, held.after
      order by s.webhook_id
    ),
    -- One look-up for each, in that order, with any statistics.
    locked as materialized (
      select q.*, ${hasPending(sql)} as pending, wanted.last, wanted.after,
             q.enabled and (q.lease_until is null or q.lease_until <= now()) and (q.due_at is null or q.due_at <= now()) as free
      from wanted cross join lateral (
        select * from webhook_queues where webhook_id = wanted.webhook_id offset 0 for update ${locked === "skip" ? sql`skip locked` : sql``}
      ) q
    ),
    missed as (
      insert into webhook_announcements as a (webhook_id, after_sequence, upto_sequence)
      select webhook_id, after, last from wanted
      where webhook_id not in (select webhook_id from locked)
      on conflict (webhook_id) do update
      set after_sequence = least(a.after_sequence, excluded.after_sequence),
          upto_sequence = greatest(a.upto_sequence, excluded.upto_sequence)
      returning webhook_id
    ),
    -- Webhooks that no process has, within the share of their organisation …
    shared as materialized (
      select l.*, l.free and l.nth <= l.share as goes_first, l.free and l.nth > l.share and l.share > 0 as is_left
      from (
        select locked.*, row_number() over (partition by free, organisation_id order by webhook_id) as nth,
               ${shareOf(sql, shares, sql`locked.organisation_id`)} as share
        from locked
      ) l
    ),
    -- … take turns; null: the others.
    told as materialized (
      select q.webhook_id, q.organisation_id, q.last as announced, q.last_place, q.pending,
             -- A stopped webhook may want events behind its cursor that other steps have passed.
             case when q.cursor >= q.announced and q.enabled and not q.untold then greatest(q.cursor, q.after)
                  else q.cursor end as cursor,
             case when q.goes_first then row_number() over (partition by q.goes_first order by q.webhook_id) end as turn
      from shared q
    )`;
}
