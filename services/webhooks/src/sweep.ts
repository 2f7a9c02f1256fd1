import { LIMITS } from "#contract";
import { NIL_UUID } from "#domain";
import { BEFORE_ALL_TIMES, type Sql, type Store, SweepPlace } from "#postgres";
import { firstIdAt } from "#publisher-db";
import { type Log, type Repeated, repeat } from "#runtime";

const INTERVAL_MS = 60_000;
const ROWS_PER_STEP = 1000;

/** Removes deliveries and events beyond their retention, by the database's clock, now and every minute. */
export function startSweep(store: Store, log: Log): Repeated {
  const deliveries = new SweepPlace(NIL_UUID);
  const events = new SweepPlace(BEFORE_ALL_TIMES);
  const work = async (signal: AbortSignal) => {
    // In steps, so that no statement locks many rows; the last step finds no row.
    for (let from: string | undefined; !signal.aborted && from !== deliveries.after; ) {
      // A step also moves on if all its rows are pending.
      from = deliveries.after;
      await sweepDeliveries(store, LIMITS.eventKeptMs, deliveries);
    }
    while (!signal.aborted && (await sweepEvents(store, LIMITS.eventKeptMs, events)) > 0);
  };
  return repeat({ name: "event sweep", everyMs: INTERVAL_MS, work, failed: "sweep failed", log });
}

/**
 * Deletes at most a thousand deliveries, with their attempts, that were made more than `keptMs` ago, by the clock of the database, and
 * that are delivered or failed, or whose webhook is gone. Pending ones stay while their webhook exists: `sweepEvents` removes their
 * events, and an empty delivery fails at its turn.
 *
 * Ids are in the order of time, so the oldest are found without another index.
 * @returns how many
 */
export async function sweepDeliveries(
  sql: Sql,
  keptMs: number,
  place = new SweepPlace(NIL_UUID),
): Promise<number> {
  const before = sql`now() - ${keptMs}::float8 * interval '1 millisecond'`;
  const [{ deliveries, last }] = await sql<[{ deliveries: number; last: string | null }]>`
    with looked as materialized (
      select d.id from webhook_deliveries d
      where d.id > ${place.after}::uuid and d.id < ${firstIdAt(sql, before)}
      order by d.id
      limit ${ROWS_PER_STEP}
    ),
    gone as (
      delete from webhook_deliveries
      where id = any(array(
        select d.id from webhook_deliveries d
        where d.id = any(array(select id from looked)) and d.created_at < ${before}
          and (
            d.state <> 'pending'
            or not exists (select from webhook_queues q where q.webhook_id = d.webhook_id)
          )
        order by d.id
        for update skip locked
      ))
      returning id, attempts, state
    ),
    attempts as (
      delete from webhook_attempts
      where delivery_id = any(array(select id from gone where attempts > 1 or state <> 'delivered'))
    )
    select count(*) as deliveries, (select id from looked order by id desc limit 1) as last from gone`;
  place.goOn(last);
  return deliveries;
}

/**
 * Deletes at most a thousand events that were written more than `keptMs` ago, even if a webhook has not
 * received them yet (contract, section 10: they are kept for 30 days). A cursor among them still works.
 *
 * The same statement stores the highest deleted number, so that a reader with an older cursor learns that
 * events are gone (`event/list`), even if this process dies.
 *
 * Both times are the database's: an event's own time (`at`) comes from a process, whose clock may be wrong.
 * The oldest are found by an index on `written_at` and not by number: an event from a time when the clock was
 * ahead does not keep the others.
 * @returns how many
 */
export async function sweepEvents(
  sql: Sql,
  keptMs: number,
  place = new SweepPlace(BEFORE_ALL_TIMES),
): Promise<number> {
  const [{ events, until }] = await sql<[{ events: number; until: string | null }]>`
    with gone as (
      delete from events
      where sequence = any(array(
        select sequence from events
        where written_at >= ${place.after}::text::timestamptz
          and written_at < now() - ${keptMs}::float8 * interval '1 millisecond'
        order by written_at
        limit ${ROWS_PER_STEP}
        for update skip locked
      ))
      returning sequence, written_at
    ),
    reach as (select count(*) as events, max(sequence) as last, max(written_at)::text as until from gone),
    known as (
      update webhook_horizon h set swept = reach.last from reach where reach.last > h.swept
    )
    select events, until from reach`;
  place.goOn(until);
  return events;
}
