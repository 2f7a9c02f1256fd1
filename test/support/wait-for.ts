import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "#postgres";

export interface WaitOptions {
  /**
   * A minute by default: this is no claim, but the time to give up, on a machine that does ten other things
   * as well.
   */
  readonly deadlineMs?: number;
  /** The failure's message: the event that did not happen. */
  readonly message: string;
}

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

const POLL_MS = 20;

/**
 * Waits until the condition gives a truthy value, and returns that. A condition that throws does not hold yet; the last error
 * that it threw becomes the cause of the failure when the deadline passes.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { deadlineMs = 60_000, message }: WaitOptions,
): Promise<Truthy<T>> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as Truthy<T>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${message}`, { cause });
    await delay(POLL_MS);
  }
}

/**
 * Waits until this many sessions of the database wait for a lock.
 * @param query a pattern of `like` for their statements
 */
export async function waitForLocks(sql: Sql, count = 1, query = "%"): Promise<void> {
  await waitFor(async () => (await lockWaits(sql, query)) >= count, {
    message: `${count} sessions do not wait for a lock`,
  });
}

/** The number of sessions of the database that wait for a lock. */
export async function lockWaits(sql: Sql, query = "%"): Promise<number> {
  // Otherwise a transaction would see the same sessions until its end.
  await sql`select pg_stat_clear_snapshot()`;
  const rows = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${query}`;
  return rows.length;
}
