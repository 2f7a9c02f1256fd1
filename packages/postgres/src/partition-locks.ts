import { ADVISORY_LOCKS } from "./advisory-lock.ts";
import type { Store } from "./connect.ts";

/*
 * Which process reads which partition of a service's streams, by session-level advisory locks: they end with
 * their session, so the server releases the locks of a process that dies. All functions want a store of
 * exactly one connection, whose session holds the locks, and ask the server's own list, so that a lost
 * session shows.
 */

/** The first keys of the locks of one service: services that share a database never meet. */
export interface PartitionLocks {
  /** The second key is the partition. */
  readonly partition: number;
  /** The second key is the backend of a process that wants a share of the partitions. */
  readonly member: number;
}

/** The services whose processes share partitions. */
export const PARTITION_LOCKS = {
  ingest: { partition: ADVISORY_LOCKS.ingestPartition, member: ADVISORY_LOCKS.ingestMember },
  platform: { partition: ADVISORY_LOCKS.platformPartition, member: ADVISORY_LOCKS.platformMember },
  rewards: { partition: ADVISORY_LOCKS.rewardsPartition, member: ADVISORY_LOCKS.rewardsMember },
} as const satisfies Record<string, PartitionLocks>;

interface PartitionView {
  /** Partitions that this session holds. */
  readonly held: readonly number[];
  /** Processes that want a share, this one included. */
  readonly members: number;
}

/** Registers this session as a member, and reads the locks. */
export async function viewPartitions(
  store: Store,
  { partition, member }: PartitionLocks,
): Promise<PartitionView> {
  await store`
    select pg_advisory_lock(${member}::int, pg_backend_pid())
    where not exists (
      select 1 from pg_locks
      where locktype = 'advisory' and classid::bigint = ${member} and objsubid = 2 and pid = pg_backend_pid()
    )`;
  const [view] = await store<[{ held: number[]; members: number }]>`
    select
      coalesce(
        array_agg(objid::int order by objid::int)
          filter (where classid::bigint = ${partition} and pid = pg_backend_pid()),
        '{}'
      ) as held,
      count(*) filter (where classid::bigint = ${member})::int as members
    from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
  `;
  return view;
}

/** Takes at most `count` of the partitions, among those that no session holds, and returns them. */
export async function claimPartitions(
  store: Store,
  locks: PartitionLocks,
  partitions: readonly number[],
  count: number,
): Promise<number[]> {
  const claimed: number[] = [];
  for (const partition of partitions) {
    if (claimed.length === count) break;
    const [row] = await store<[{ taken: boolean }]>`
      select pg_try_advisory_lock(${locks.partition}::int, ${partition}::int) as taken`;
    if (row.taken) claimed.push(partition);
  }
  return claimed;
}

/** Releases partitions that this session holds. */
export async function releasePartitions(
  store: Store,
  locks: PartitionLocks,
  partitions: readonly number[],
): Promise<void> {
  for (const partition of partitions) {
    await store`select pg_advisory_unlock(${locks.partition}::int, ${partition}::int)`;
  }
}

/** Releases everything that this session holds, including its membership: the others see one process less. */
export async function leavePartitions(store: Store): Promise<void> {
  await store`select pg_advisory_unlock_all()`;
}
