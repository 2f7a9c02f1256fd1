import { ADVISORY_LOCKS } from "../advisory-lock.ts";
import { classifyDatabaseError } from "../classify-database-error.ts";
import type { Sql, Store } from "../connect.ts";

/**
 * Writers hold the lock for an insert and a commit. One that hangs in between would, with us waiting for it, hold up all
 * others: they queue behind us. So we give up, and try again when they had their turn.
 */
const LOCK_WAIT = "500ms";

/**
 * Looks how far events are settled and tells the webhooks that want one of the new ones. Says how many events are newly
 * covered: 0 when there are none, when another process is at it, or when a writer takes long.
 *
 * How far is found out in a transaction of its own, so that the lock that holds up all writers of events is kept for one
 * look and not for the telling. What is found stays true, whoever comes in between.
 */
export async function advanceHorizon(store: Store, now: Date): Promise<number> {
  if (!(await hasNews(store))) return 0;
  const settled = await findSettled(store);
  if (settled === undefined) return 0;
  return store.begin(async (sql) => {
    const [horizon] = await sql<{ sequence: number }[]>`
      select sequence from webhook_horizon for update skip locked`;
    if (horizon === undefined || horizon.sequence >= settled) return 0;
    return announce(sql, { after: horizon.sequence, to: settled, now });
  });
}

/** A cheap look, without a lock: whoever has nothing to tell holds up nobody. What it misses, the next one sees. */
async function hasNews(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ news: boolean }]>`
    select coalesce((select max(sequence) from events) > (select sequence from webhook_horizon), false) as news`;
  return row.news;
}

/** The number up to which all events are committed or gone; undefined: a writer took too long. */
async function findSettled(store: Store): Promise<number | undefined> {
  try {
    return await store.begin(async (sql) => {
      await sql.script(`set local lock_timeout = '${LOCK_WAIT}'`);
      await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.events}::int, 0)`;
      // A statement of its own: what was committed while the lock was waited for is not in the snapshot of the one before.
      const [row] = await sql<[{ last: number | null }]>`select max(sequence) as last from events`;
      return row.last ?? undefined;
    });
  } catch (error) {
    if (isLockTimeout(error)) return undefined;
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return classifyDatabaseError(error) === "retry" && (error as { code?: unknown }).code === "55P03";
}

interface Fresh {
  readonly organisationId: string;
  readonly type: string;
  readonly last: number;
  readonly events: number;
}

/**
 * Webhooks that are not enabled are told as well: the events collect. One that had nothing left skips what lies before:
 * that it did not want, and a type that it subscribes to later starts there and not at events of weeks ago.
 *
 * A webhook that is made meanwhile is not seen here and starts at the horizon before. The events that it misses were
 * committed before it.
 *
 * What is new is read first, so that the webhooks are found by index: how few organisations it is of, no plan could know.
 */
async function announce(
  sql: Sql,
  { after, to, now }: { readonly after: number; readonly to: number; readonly now: Date },
): Promise<number> {
  const fresh = await sql<Fresh[]>`
    select organisation_id as "organisationId", type, max(sequence) as last, count(*) as events
    from events
    where sequence > ${after} and sequence <= ${to}
    group by organisation_id, type`;
  await sql`
    with wanted as materialized (
      select q.webhook_id, max(fresh.last) as last
      from unnest(
        ${fresh.map(({ organisationId }) => organisationId)}::uuid[], ${fresh.map(({ type }) => type)}::text[],
        ${fresh.map(({ last }) => last)}::bigint[]
      ) as fresh (organisation_id, type, last)
      join webhook_queues q using (organisation_id)
      join webhooks w on w.id = q.webhook_id and fresh.type = any(w.events)
      group by q.webhook_id
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
        due_at = case when q.enabled then coalesce(q.due_at, ${now}) end
    from told
    where q.webhook_id = told.webhook_id`;
  return fresh.reduce((sum, { events }) => sum + events, 0);
}
