import type { Sql } from "./connect.ts";

/**
 * Every advisory lock of the system: the first of the two keys that Postgres takes, so that two purposes
 * never share a lock. Advisory locks are per database; other users of the same database are unlikely to have
 * picked these numbers.
 */
export const ADVISORY_LOCKS = {
  migrate: 7_301_001,
  firstToken: 7_301_002,
  /** The second key is the partition. */
  ingestPartition: 7_301_003,
  /** The second key is the backend of an ingest process that wants a share of the partitions. */
  ingestMember: 7_301_004,
  /** The second key is the backend of an edge process that keeps tokens in memory. */
  edgeMember: 7_301_005,
  /** The second key is a hash of the organisation, the route and the idempotency key. */
  idempotencyKey: 7_301_006,
  /** Of the platform, which may use the same database. */
  migratePlatform: 7_301_007,
  firstPlatformToken: 7_301_008,
  /**
   * Shared by all writers of events, until they commit; no session takes it exclusively (`advanceHorizon`).
   */
  events: 7_301_009,
  /** Like those of ingest. */
  platformPartition: 7_301_010,
  platformMember: 7_301_011,
  rewardsPartition: 7_301_012,
  rewardsMember: 7_301_013,
  /** Held by changes of the platform's configuration, and shared by judging; migration 0005 has the number too. */
  platformConfiguration: 7_301_014,
  /** Held while the order of settlings is raised (`raiseSettledOrder`). */
  settledOrder: 7_301_015,
} as const;

export type AdvisoryLock = keyof typeof ADVISORY_LOCKS;

/** Waits for the lock and holds it until the surrounding transaction ends, however it ends. */
export async function lockForTransaction(sql: Sql, lock: AdvisoryLock, key = 0): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::int, ${key}::int)`;
}

/** Like `lockForTransaction`, without waiting: false if another session holds the lock. */
export async function tryLockForTransaction(sql: Sql, lock: AdvisoryLock, key = 0): Promise<boolean> {
  const [row] = await sql<[{ taken: boolean }]>`
    select pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::int, ${key}::int) as taken`;
  return row.taken;
}
