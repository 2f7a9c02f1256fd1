import { setTimeout as delay } from "node:timers/promises";
import { ADVISORY_LOCKS, type Sql } from "#postgres";

/** The waits between two looks at the open writers: 1 ms, then 2, 4, … 256; half a second in all. */
const FIRST_WAIT_MS = 1;
const LAST_WAIT_MS = 256;

/**
 * The number up to which all events are committed or gone; undefined: there are no new events.
 *
 * A writer takes the lock of writers before it draws a number, and holds it until it ends. So when we look at the lock after we
 * saw a number, every writer with a lower number either holds it or has ended. It is enough to wait for those who hold it then:
 * later writers get higher numbers. A writer without the lock has ended, because the server releases locks only after its
 * rows can be seen.
 */
export async function findSettled(sql: Sql): Promise<number | undefined | "held up"> {
  const last = await lastUnsettled(sql);
  if (last === undefined) return undefined;
  // A separate statement after the first: the proof above rests on this order.
  const writers = await openWriters(sql);
  for (let waitMs = FIRST_WAIT_MS; await areOpen(sql, writers); waitMs *= 2) {
    if (waitMs > LAST_WAIT_MS) return "held up";
    await delay(waitMs);
  }
  return last;
}

/** The highest number that can be seen; undefined: the horizon has reached it. */
async function lastUnsettled(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<[{ last: number | null; horizon: number }]>`
    select (select max(sequence) from events) as last, sequence as horizon from webhook_horizon`;
  return row.last !== null && row.last > row.horizon ? row.last : undefined;
}

/** Database transactions (their virtual ids) that hold the lock of `lockForEvents` now. */
async function openWriters(sql: Sql): Promise<string[]> {
  const rows = await sql<{ writer: string }[]>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'advisory' and classid = ${ADVISORY_LOCKS.events}::int::oid and objid = 0 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and mode = 'ShareLock' and granted`;
  return rows.map(({ writer }) => writer);
}

async function areOpen(sql: Sql, writers: readonly string[]): Promise<boolean> {
  if (writers.length === 0) return false;
  const now = new Set(await openWriters(sql));
  return writers.some((writer) => now.has(writer));
}
