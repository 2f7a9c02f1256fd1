import { LIMITS } from "#contract";
import { type Fragment, type Sql, type Store, sweepIdempotencyKeys } from "#postgres";
import { type Log, repeat } from "#runtime";
import { PLATFORM_KEYS } from "../idempotency-keys.ts";
import { deletePaymentKeys, deleteRecordKeys } from "./record-rows.ts";
import { forgetUnrouted } from "./unrouted-records.ts";

const INTERVAL_MS = 60_000;

/**
 * Ends the wait of halves that found no other half in 30 days, and deletes old ones, in the background.
 * Several processes may do it at the same time. Steps are small, so that no session waits long for their
 * locks.
 * @returns a function that ends this, and waits for the step under way
 */
export function startSweep(store: Store, log: Log): () => Promise<void> {
  const { stop } = repeat({
    name: "old halves",
    everyMs: INTERVAL_MS,
    work: (signal) => sweep(store, signal),
    failed: "old halves were not swept; trying again",
    log,
  });
  return stop;
}

/** A pair is made at most one window after the arrival of its first half, and is kept for `pairedKeptMs` after that. */
const KNOWN_MS = LIMITS.matchWindowMs + LIMITS.pairedKeptMs;

/** One round, until nothing is left to do or `stop` aborts. */
async function sweep(store: Store, stop: AbortSignal): Promise<void> {
  await inSteps(stop, () => expireRecords(store, LIMITS.matchWindowMs));
  await inSteps(stop, () => expirePayments(store, LIMITS.matchWindowMs));
  await inSteps(stop, async () => {
    const { records, payments } = await forgetHalves(store, KNOWN_MS);
    return records + payments;
  });
  await inSteps(stop, () => forgetUnrouted(store));
  await inSteps(stop, () => sweepIdempotencyKeys(store, LIMITS.idempotencyKeyKeptMs, PLATFORM_KEYS.table));
}

async function inSteps(stop: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!stop.aborted && (await step()) > 0);
}

/** The most rows of one step, so few that its locks delay no caller noticeably. */
const ROWS_PER_STEP = 1000;

/**
 * Ends the wait of at most a thousand records that arrived more than `waitedMs` ago, by the clock of the
 * database, and found no payment. They stay, closed, until they are forgotten: if one comes again, it does
 * not wait a second time, and its outcomes are not emitted twice.
 * @returns how many
 */
export async function expireRecords(store: Store, waitedMs: number): Promise<number> {
  return store.begin(async (sql) => {
    const rows = await sql<{ id: string }[]>`
      select transaction_id as id from platform.records
      where is_open and transaction_id in (
        select transaction_id from platform.open_records
        where arrived_at < ${ago(sql, waitedMs)}
        order by arrived_at
        limit ${ROWS_PER_STEP}
      )
      order by transaction_id
      for update`;
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await deleteRecordKeys(sql, ids);
    await sql`update platform.records set is_open = false where transaction_id = any(${ids}::uuid[])`;
    return rows.length;
  });
}

/** The same for payments that found no record, which are deleted. */
export async function expirePayments(store: Store, waitedMs: number): Promise<number> {
  return store.begin(async (sql) => {
    const rows = await sql<{ id: string }[]>`
      select id from platform.payments
      where is_open and id in (
        select payment_id from platform.open_payments
        where arrived_at < ${ago(sql, waitedMs)}
        order by arrived_at
        limit ${ROWS_PER_STEP}
      )
      order by id
      for update`;
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await deletePaymentKeys(sql, ids);
    await sql`delete from platform.payments where id = any(${ids}::uuid[])`;
    return rows.length;
  });
}

/**
 * Deletes at most a thousand halves of each kind that arrived more than `keptMs` ago, by the clock of the database, and are not open
 * any more.
 * @returns how many
 */
export async function forgetHalves(sql: Sql, keptMs: number): Promise<{ records: number; payments: number }> {
  const records = await sql`
    delete from platform.records
    where transaction_id = any(array(
      select transaction_id from platform.records
      where arrived_at < ${ago(sql, keptMs)} and not is_open
      order by arrived_at
      limit ${ROWS_PER_STEP}
      for update skip locked
    ))
    returning 1`;
  const payments = await sql`
    delete from platform.payments
    where id = any(array(
      select id from platform.payments
      where arrived_at < ${ago(sql, keptMs)} and not is_open
      order by arrived_at
      limit ${ROWS_PER_STEP}
      for update skip locked
    ))
    returning 1`;
  return { records: records.length, payments: payments.length };
}

/** The database sets `arrived_at` and says what is old: a process whose clock is ahead must not end a wait too early. */
function ago(sql: Sql, ms: number): Fragment {
  return sql`now() - ${ms}::float8 * interval '1 millisecond'`;
}
