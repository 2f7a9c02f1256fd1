import { ADVISORY_LOCKS, type Store } from "#postgres";

/*
 * Which process consumes which ingest partition, by session-level advisory locks: they end with their session, so a
 * process that dies lets go without anybody's help. All functions want a store of exactly one connection, whose session
 * holds the locks, and ask the server's own list, so that a lost session shows.
 */

const { ingestPartition: PARTITION, ingestMember: MEMBER } = ADVISORY_LOCKS;

export interface PartitionView {
  /** Partitions that this session holds. */
  readonly held: readonly number[];
  /** Processes that want a share, this one included. */
  readonly members: number;
}

/** Makes this session known as a member, and looks around. */
export async function viewPartitions(store: Store): Promise<PartitionView> {
  await store`
    select pg_advisory_lock(${MEMBER}::int, pg_backend_pid())
    where not exists (
      select 1 from pg_locks
      where locktype = 'advisory' and classid::bigint = ${MEMBER} and objsubid = 2 and pid = pg_backend_pid()
    )`;
  const [view] = await store<[{ held: number[]; members: number }]>`
    select
      coalesce(
        array_agg(objid::int order by objid::int)
          filter (where classid::bigint = ${PARTITION} and pid = pg_backend_pid()),
        '{}'
      ) as held,
      count(*) filter (where classid::bigint = ${MEMBER})::int as members
    from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
  `;
  return view;
}

/** Takes at most `count` of the partitions, those that nobody holds, and says which. */
export async function claimPartitions(
  store: Store,
  partitions: readonly number[],
  count: number,
): Promise<number[]> {
  const claimed: number[] = [];
  for (const partition of partitions) {
    if (claimed.length === count) break;
    const [row] = await store<[{ taken: boolean }]>`
      select pg_try_advisory_lock(${PARTITION}::int, ${partition}::int) as taken`;
    if (row.taken) claimed.push(partition);
  }
  return claimed;
}

/** Lets go of partitions that this session holds. */
export async function releasePartitions(store: Store, partitions: readonly number[]): Promise<void> {
  for (const partition of partitions) {
    await store`select pg_advisory_unlock(${PARTITION}::int, ${partition}::int)`;
  }
}

/** Lets go of all that this session holds, its membership too: the others see one process less. */
export async function leavePartitions(store: Store): Promise<void> {
  await store`select pg_advisory_unlock_all()`;
}
