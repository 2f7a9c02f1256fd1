import { LIMITS } from "#contract";
import type { Sql, Store } from "#postgres";
import { firstIdAt } from "#publisher-db";
import { type Log, type Repeated, repeat } from "#runtime";

const INTERVAL_MS = 60_000;
const ROWS_PER_STEP = 1000;

/** Removes deliveries and events that are older than they are kept, by the database's clock, now and every minute. */
export function startSweep(store: Store, log: Log): Repeated {
  const work = async (signal: AbortSignal) => {
    // In steps, so that no statement locks many rows. The last step finds nothing more.
    while (!signal.aborted && (await sweepDeliveries(store, LIMITS.eventKeptMs)) > 0);
    while (!signal.aborted && (await sweepEvents(store, LIMITS.eventKeptMs)) > 0);
  };
  return repeat({ name: "event sweep", everyMs: INTERVAL_MS, work, failed: "sweep failed", log });
}

/**
 * Deletes deliveries that were made more than `keptMs` ago, by the clock of the database, and that are delivered or failed or
 * whose webhook is gone: at most a thousand. Gives their number. Pending ones stay while their webhook exists: their events
 * are swept by `sweepEvents`, and a delivery that is empty by then fails when it is its turn. Their attempts go with them.
 *
 * Ids are in the order of time, so the oldest are found without another index.
 */
export async function sweepDeliveries(sql: Sql, keptMs: number): Promise<number> {
  const before = sql`now() - ${keptMs}::float8 * interval '1 millisecond'`;
  const [{ deliveries }] = await sql<[{ deliveries: number }]>`
    with gone as (
      delete from webhook_deliveries
      where id = any(array(
        select d.id from webhook_deliveries d
        where d.id < ${firstIdAt(sql, before)} and d.created_at < ${before}
          and (
            d.state <> 'pending'
            or not exists (select from webhook_queues q where q.webhook_id = d.webhook_id)
          )
        order by d.id
        limit ${ROWS_PER_STEP}
        for update skip locked
      ))
      returning id, attempts, state
    ),
    attempts as (
      delete from webhook_attempts
      where delivery_id = any(array(select id from gone where attempts > 1 or state <> 'delivered'))
    )
    select count(*) as deliveries from gone`;
  return deliveries;
}

/**
 * Deletes events that were written more than `keptMs` ago, even if a webhook has not got them yet (contract, section 10:
 * they are kept for 30 days): at most a thousand. Gives their number. A cursor that stands among them works as before.
 *
 * How far they reached is written down in the same statement, so that whoever reads events by a cursor learns that some are
 * gone (`event/list`), whatever process dies here.
 *
 * Both times are the database's: an event's own time (`at`) comes from a process, whose clock may be wrong. The oldest are
 * found by an index on `written_at` and not by number: an event from a time when the clock was ahead does not keep the others.
 */
export async function sweepEvents(sql: Sql, keptMs: number): Promise<number> {
  const [{ events }] = await sql<[{ events: number }]>`
    with gone as (
      delete from events
      where sequence = any(array(
        select sequence from events
        where written_at < now() - ${keptMs}::float8 * interval '1 millisecond'
        order by written_at
        limit ${ROWS_PER_STEP}
        for update skip locked
      ))
      returning sequence
    ),
    reach as (select count(*) as events, max(sequence) as last from gone),
    known as (
      update webhook_horizon h set swept = reach.last from reach where reach.last > h.swept
    )
    select events from reach`;
  return events;
}
