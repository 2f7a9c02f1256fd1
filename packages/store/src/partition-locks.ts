import { ADVISORY_LOCKS } from "./advisory-lock.ts";
import type { Store } from "./connect.ts";

const LOCK_CLASS = ADVISORY_LOCKS.ingestPartition;

/**
 * Takes every partition lock that is free, and says which ones this session holds. The answer comes from the server's
 * own list, so a session that was lost, and with it all its locks, is noticed by the answer being shorter.
 * @param store a pool of exactly one connection: the locks belong to its session
 */
export async function holdPartitionLocks(store: Store, partitions: readonly number[]): Promise<number[]> {
  const rows = await store<{ partition: number }[]>`
    with held as materialized (
      select objid::int as partition from pg_locks
      where locktype = 'advisory' and granted and pid = pg_backend_pid()
        and classid = ${LOCK_CLASS}::int::oid and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
    )
    select wanted.partition
    from unnest(${partitions as number[]}::int[]) as wanted (partition)
    where wanted.partition in (select partition from held)
      or pg_try_advisory_lock(${LOCK_CLASS}::int, wanted.partition)
    order by 1
  `;
  return rows.map((row) => row.partition);
}
