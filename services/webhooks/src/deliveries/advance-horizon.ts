import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "#contract";
import { ADVISORY_LOCKS, type Fragment, type Sql } from "#postgres";
import { hasPending } from "#publisher-db";
import { cutColumns, cutEvents, eachCut, takenColumns } from "./cut-events.ts";
import {
  type LeasedRow,
  type LeasedWebhook,
  type LeaseRequest,
  leasedColumns,
  leaseEnd,
  shareOf,
  toLeasedWebhooks,
} from "./leases.ts";
import { knowsAnnouncements, OlderProcesses, tellsStopped } from "./older-processes.ts";

/** The wait between two looks at the writers under way: 1 ms, then 2, 4, … 256; half a second in all. */
const FIRST_WAIT_MS = 1;
const LAST_WAIT_MS = 256;
/** Announcements that one statement makes up for, and started webhooks that one tells. */
const MISSED_PER_STEP = 250;
/** Numbers that one step passes at most: some 20 ms, however many events are behind the horizon. */
export const NUMBERS_PER_STEP = 20_000;

/** What came of one step of the horizon. */
export interface Advanced {
  /** Events that it newly passed: 0 when there are none, when another process is doing this, or when a writer takes long. */
  readonly events: number;
  /** Webhooks that were leased at once, since there is something for them. */
  readonly leased: readonly LeasedWebhook[];
  /** Whether it left webhooks due that nobody has. */
  readonly isMore: boolean;
  /** Whether a writer took so long that it gave up. */
  readonly isHeldUp: boolean;
  /** Whether webhooks are still to be told of events that the horizon has passed (`announceMissed`). */
  readonly isMissed: boolean;
  /** Whether the next step has something to do now. */
  readonly isBehind: boolean;
  /** A number up to which all events are known to be committed or gone; 0: none that the horizon has not passed. */
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

/** What the step before has left. */
type Before = Pick<Advanced, "isHeldUp" | "isMissed" | "settled">;

export interface HorizonRequest extends LeaseRequest {
  /** How many numbers it passes at most. */
  readonly numbers?: number | undefined;
  readonly older?: OlderProcesses;
}

/**
 * Finds out how far events are settled, moves the horizon there, and makes the webhooks due that want one of the new events.
 * As many as asked for are leased with that, so that a lone event costs one statement and one commit until it is sent. One call
 * passes a bounded part of the numbers and commits it: whatever has piled up, each step takes the same time, and none is
 * made twice.
 *
 * If the answer is lost, what was leased waits until the lease ends, and then comes as it was taken.
 *
 * It takes no lock that a writer may want, so it holds up none. A writer that was stopped in the middle keeps the horizon
 * where it is, since its numbers may still be committed; it holds up nothing else.
 *
 * Who holds the lock of one webhook's queue for long holds up that webhook alone: the others are told, and it is told when the
 * lock can be had. As long as there are such webhooks, no step waits for a lock.
 * @param before of the last call: was it held up, the writers come first, since the same number is missing still
 */
export async function advanceHorizon(
  sql: Sql,
  request: HorizonRequest,
  before: Before = NOTHING,
): Promise<Advanced> {
  const isMissed = before.isMissed && (await announceMissed(sql));
  if (!before.isHeldUp) {
    // As nearly always, no number is missing; or it is known that those which are will never come.
    const advanced = await announce(sql, before.settled, request, isMissed);
    if (advanced !== "gap") return advanced;
  }
  const settled = await findSettled(sql);
  if (settled === undefined) return { ...NOTHING, isMissed };
  if (settled === "held up") {
    // What the horizon has passed does not wait for the writer.
    await tellStarted(sql);
    return { ...NOTHING, isHeldUp: true, isMissed };
  }
  const advanced = await announce(sql, settled, request, isMissed);
  return advanced === "gap" ? { ...NOTHING, isMissed } : advanced;
}

/**
 * Tells webhooks that were started what has come since they were stopped: all that the horizon has passed. While a webhook is
 * stopped no step looks at it. Gives whether there were some.
 *
 * A step that began before the start does not see the webhook, and may be about to move the horizon. It holds the
 * horizon's row from where it looks at it to its end, or finds it changed (`tellings`) and moves nothing. So every step before
 * this one is within what is told here, and every later one sees the webhook.
 */
export async function tellStarted(sql: Sql): Promise<boolean> {
  const [{ told }] = await sql<[{ told: number }]>`
    -- The horizon first, as every step locks it before queues, and waits for no queue.
    with horizon as materialized (
      select sequence from webhook_horizon where exists (select from webhook_starts) for update
    ),
    started as materialized (
      select webhook_id, horizon.sequence from horizon cross join lateral (
        select webhook_id from webhook_starts
        order by webhook_id
        limit ${MISSED_PER_STEP}
        for update skip locked
      ) s
    ),
    locked as materialized (
      select q.webhook_id, s.sequence from started s cross join lateral (
        select webhook_id from webhook_queues where webhook_id = s.webhook_id offset 0 for update skip locked
      ) q
    ),
    told as (
      update webhook_queues q
      set untold = false,
          announced = locked.sequence,
          due_at = case when q.enabled then coalesce(q.due_at, now()) end
      from locked
      where q.webhook_id = locked.webhook_id and q.untold
      returning q.webhook_id
    ),
    done as (
      delete from webhook_starts where webhook_id in (select webhook_id from locked)
    ),
    noted as (
      update webhook_horizon set tellings = tellings + 1 where exists (select from told)
    )
    select count(*) as told from told`;
  return told > 0;
}

/**
 * Makes announcements that were not made, as far as their webhooks' queues can be locked now; gives whether any are left. A
 * process that dies before leaves them to the next step of any process: each looks whether there are some.
 */
async function announceMissed(sql: Sql): Promise<boolean> {
  const [{ left }] = await sql<[{ left: boolean }]>`
    with missed as materialized (
      select webhook_id, after_sequence, upto_sequence from webhook_announcements
      order by webhook_id
      limit ${MISSED_PER_STEP}
      for update skip locked
    ),
    locked as materialized (
      select q.*, m.after_sequence as after, m.upto_sequence as upto
      from missed m cross join lateral (
        select * from webhook_queues where webhook_id = m.webhook_id offset 0 for update skip locked
      ) q
    ),
    announced as (
      update webhook_queues q
      set cursor = case when l.cursor >= l.announced and l.enabled and not l.untold then greatest(l.cursor, l.after) else l.cursor end,
          announced = greatest(l.announced, l.upto),
          due_at = case when q.enabled then coalesce(q.due_at, now()) end
      from locked l
      where q.webhook_id = l.webhook_id
    ),
    made as (
      delete from webhook_announcements a
      using missed m
      where a.webhook_id = m.webhook_id and (
        m.webhook_id in (select webhook_id from locked)
        or not exists (select from webhook_queues q where q.webhook_id = m.webhook_id)
      )
      returning a.webhook_id
    )
    select exists (
      select from webhook_announcements where webhook_id not in (select webhook_id from made)
    ) as left`;
  return left;
}

/**
 * The number up to which all events are committed or gone; undefined: nothing is new.
 *
 * A writer takes the lock of writers before it is given a number, and holds it until it ends. So every writer with a number
 * below the last one that we see holds the lock when we look at it afterwards, or has ended, and it is enough to wait for
 * those who hold it then: later writers get higher numbers. A writer that has let go of the lock has ended, because the
 * server releases locks only after what was written can be seen.
 */
async function findSettled(sql: Sql): Promise<number | undefined | "held up"> {
  const last = await lastUnsettled(sql);
  if (last === undefined) return undefined;
  // A statement of its own, after the first: the proof above rests on this order.
  const writers = await writersUnderWay(sql);
  for (let waitMs = FIRST_WAIT_MS; await areUnderWay(sql, writers); waitMs *= 2) {
    if (waitMs > LAST_WAIT_MS) return "held up";
    await delay(waitMs);
  }
  return last;
}

/** The last number that can be seen; undefined: the horizon is there already. */
async function lastUnsettled(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<[{ last: number | null; horizon: number }]>`
    select (select max(sequence) from events) as last, sequence as horizon from webhook_horizon`;
  return row.last !== null && row.last > row.horizon ? row.last : undefined;
}

/** Database transactions (their virtual ids) that hold the lock of `lockForEvents` now. */
async function writersUnderWay(sql: Sql): Promise<string[]> {
  const rows = await sql<{ writer: string }[]>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'advisory' and classid = ${ADVISORY_LOCKS.events}::int::oid and objid = 0 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and mode = 'ShareLock' and granted`;
  return rows.map(({ writer }) => writer);
}

async function areUnderWay(sql: Sql, writers: readonly string[]): Promise<boolean> {
  if (writers.length === 0) return false;
  const now = new Set(await writersUnderWay(sql));
  return writers.some((writer) => now.has(writer));
}

/** What the step says of itself, in each row. */
interface StepRow {
  readonly passed: number;
  readonly isGap: boolean;
  readonly isMore: boolean;
  readonly isMissed: boolean;
  readonly isUntold: boolean;
  readonly isBehind: boolean;
  readonly horizon: number;
}

/** Without a webhook, which has no id, the first row is all there is. */
type AdvancedRow = StepRow & ({ readonly id: null } | LeasedRow);

/**
 * Moves the horizon, announces the new events to the webhooks that want one, and leases those that nobody has.
 *
 * Up to `settled` it passes whatever is there. Behind that it goes up to the last number that can be seen, provided that each
 * number from the horizon on can be seen: then all of them are committed. A number that is missing may still be committed ("gap"), or
 * was given to a writer that was rolled back; `findSettled` finds that out. In any case it goes no further than a step may.
 *
 * Webhooks that are not enabled cost nothing here: they are told when they are started (`tellStarted`). The cursor of a
 * webhook that had nothing left first moves to the horizon as it was: it did not want the events before, and a type that it
 * subscribes to later must start here and not at events of weeks ago.
 *
 * A webhook that is made meanwhile is not seen here, and starts at the old horizon. It never gets the events announced here,
 * which is right: they were committed before it was made.
 *
 * Whoever holds the horizon's row announces alone, and has checked that it is where this statement saw it. So a queue that
 * was waited for tells of no event that this statement does not see.
 *
 * Webhooks are found by index, whatever the planner thinks of how many organisations the events are of: `offset 0` keeps it
 * from joining all that there are. Only those that want one of the types are looked at: a webhook of a rare type costs
 * nothing until there is something for it.
 *
 * Others lock a queue for some milliseconds, and it waits for them. If a lock lasts longer, the whole statement is undone,
 * the horizon with it, and made again without waiting: webhooks whose queue is locked are written down, and told later. Beside
 * a process of a version that does not read what is written down, it waits.
 */
async function announce(
  sql: Sql,
  settled: number,
  request: HorizonRequest,
  isMissed: boolean,
): Promise<Advanced | "gap"> {
  const older = await (request.older ?? new OlderProcesses(sql)).connected();
  const told = { ...request, all: older.some(tellsStopped) };
  try {
    if (!isMissed) return await tell(sql, settled, told, "wait");
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  }
  return tell(sql, settled, told, older.every(knowsAnnouncements) ? "skip" : "stay");
}

/** The SQLSTATE of `lock_timeout`. */
const LOCK_NOT_AVAILABLE = "55P03";

/** What to do about a queue that somebody else has locked: "stay" waits for as long as it takes. */
type Locked = "wait" | "stay" | "skip";

interface Telling extends HorizonRequest {
  /** Whether stopped webhooks are told too. */
  readonly all: boolean;
}

async function tell(sql: Sql, settled: number, telling: Telling, locked: Locked): Promise<Advanced | "gap"> {
  const { owner, leaseMs, limit, perWebhook } = telling;
  const rows = await sql<AdvancedRow[]>`
    with ${tellWebhooks(sql, settled, locked, telling)},
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
 * All rows of a table expression, of which the planner expects a thousandth: it takes a limit that it does not know for a tenth.
 * So it looks other rows up by them, one by one, where it would else read an index from end to end.
 */
function few(sql: Sql, table: Fragment): Fragment {
  const all = Number.MAX_SAFE_INTEGER;
  return sql`(
    select * from (select * from (select * from ${table} limit ${all}) as a limit ${all}) as b limit ${all}
  )`;
}

/** The webhooks that want new events are `told`, with the horizon as it was; none of them if there are none to announce. */
function tellWebhooks(
  sql: Sql,
  settled: number,
  locked: Locked,
  { shares, all, numbers = NUMBERS_PER_STEP }: Telling,
): Fragment {
  // Set for this statement, before it locks anything: all that follows needs the horizon.
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
      -- Behind an announcement that is still to be made, what it would have told of comes first.
      select s.webhook_id, max(fresh.last) as last,
             least(held.after, (select a.after_sequence from webhook_announcements a where a.webhook_id = s.webhook_id)) as after
      from held cross join fresh cross join lateral (
        select webhook_id ${all ? sql`from webhook_subscriptions` : sql`from webhook_subscribers`}
        where organisation_id = fresh.organisation_id and type = fresh.type
        offset 0
      ) s
      group by s.webhook_id, held.after
      order by s.webhook_id
    ),
    -- One look-up for each, in that order, whatever is known of the tables.
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
    -- Those that nobody has and for which their organisation has a share left …
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
             -- Of a stopped one nothing is known to be behind the cursor: others may have passed it over.
             case when q.cursor >= q.announced and q.enabled and not q.untold then greatest(q.cursor, q.after)
                  else q.cursor end as cursor,
             case when q.goes_first then row_number() over (partition by q.goes_first order by q.webhook_id) end as turn
      from shared q
    )`;
}
