import { setTimeout as delay } from "node:timers/promises";
import { ADVISORY_LOCKS, type Sql, type Store } from "#postgres";

/** The wait between two looks at the writers under way: 1 ms, then 2, 4, … 256; half a second in all. */
const FIRST_WAIT_MS = 1;
const LAST_WAIT_MS = 256;

/**
 * Finds out how far events are settled, moves the horizon there, and makes the webhooks due that want one of the new events.
 * Gives the number of events newly passed: 0 when there are none, when another process is doing this, or when a writer
 * takes long.
 *
 * It takes no lock that a writer may want, so it holds up none. A writer that was stopped in the middle keeps the horizon
 * where it is, since its numbers may still be committed; it holds up nothing else.
 */
export async function advanceHorizon(store: Store): Promise<number> {
  const settled = await findSettled(store);
  if (settled === undefined) return 0;
  return store.begin(async (sql) => {
    const [horizon] = await sql<{ sequence: number }[]>`
      select sequence from webhook_horizon for update skip locked`;
    if (horizon === undefined || horizon.sequence >= settled) return 0;
    return announce(sql, { after: horizon.sequence, to: settled });
  });
}

/**
 * The number up to which all events are committed or gone; undefined: nothing is new, or a writer took too long.
 *
 * A writer takes the lock of writers before it is given a number, and holds it until it ends. So every writer with a number
 * below the last one that we see holds the lock when we look at it afterwards, or has ended, and it is enough to wait for
 * those who hold it then: later writers get higher numbers. A writer that has let go of the lock has ended, because the
 * server releases locks only after what was written can be seen.
 */
async function findSettled(sql: Sql): Promise<number | undefined> {
  const last = await lastUnsettled(sql);
  if (last === undefined) return undefined;
  // A statement of its own, after the first: the proof above rests on this order.
  const writers = await writersUnderWay(sql);
  for (let waitMs = FIRST_WAIT_MS; await areUnderWay(sql, writers); waitMs *= 2) {
    if (waitMs > LAST_WAIT_MS) return undefined;
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

interface Fresh {
  readonly organisationId: string;
  readonly type: string;
  readonly last: number;
  readonly events: number;
}

/**
 * Moves the horizon to `to`, and announces the new events to the webhooks that want one. Gives the number of events.
 *
 * Webhooks that are not enabled are told as well, so that their events collect. The cursor of a webhook that had nothing left
 * first moves to `after`: it did not want the events before, and a type that it subscribes to later must start here and not
 * at events of weeks ago.
 *
 * A webhook that is made meanwhile is not seen here, and starts at the old horizon. It never gets the events announced here,
 * which is right: they were committed before it was made.
 *
 * The new events are read first, so that the webhooks are found by index: no plan could know of how few organisations the
 * events are. Only those that want one of their types are looked at: a webhook of a rare type costs nothing until there is
 * something for it.
 */
async function announce(
  sql: Sql,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<number> {
  const fresh = await sql<Fresh[]>`
    select organisation_id as "organisationId", type, max(sequence) as last, count(*) as events
    from events
    where sequence > ${after} and sequence <= ${to}
    group by organisation_id, type`;
  await sql`
    with wanted as materialized (
      select s.webhook_id, max(fresh.last) as last
      from unnest(
        ${fresh.map(({ organisationId }) => organisationId)}::uuid[], ${fresh.map(({ type }) => type)}::text[],
        ${fresh.map(({ last }) => last)}::bigint[]
      ) as fresh (organisation_id, type, last)
      join webhook_subscriptions s using (organisation_id, type)
      group by s.webhook_id
    ),
    told as materialized (
      select q.webhook_id, wanted.last
      from wanted join webhook_queues q using (webhook_id)
      order by q.webhook_id
      for update of q
    ),
    moved as (
      update webhook_horizon set sequence = ${to}
    )
    update webhook_queues q
    set announced = told.last,
        cursor = case when q.cursor >= q.announced then greatest(q.cursor, ${after}) else q.cursor end,
        due_at = case when q.enabled then coalesce(q.due_at, now()) end
    from told
    where q.webhook_id = told.webhook_id`;
  return fresh.reduce((sum, { events }) => sum + events, 0);
}
