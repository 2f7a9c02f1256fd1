import type { Sql, Store } from "#postgres";
import { ADVISORY_LOCKS } from "#postgres";

const { edgeMember: MEMBER } = ADVISORY_LOCKS;

/**
 * Makes this process known as one that keeps tokens in memory, for as long as its session lasts. Asked again and again:
 * a session that was lost is joined anew, and the call fails while it cannot be.
 * @param store of exactly one connection, whose session holds the lock
 */
export async function joinEdges(store: Store): Promise<void> {
  await store`
    select pg_advisory_lock(${MEMBER}::int, pg_backend_pid())
    where not exists (
      select 1 from pg_locks
      where locktype = 'advisory' and classid::bigint = ${MEMBER} and objsubid = 2 and pid = pg_backend_pid()
    )`;
}

/** How many processes keep tokens in memory. One that died is not counted: its session ended with it. */
export async function countEdges(sql: Sql): Promise<number> {
  const [row] = await sql<[{ members: number }]>`
    select count(*)::int as members from pg_locks
    where locktype = 'advisory' and granted and objsubid = 2 and classid::bigint = ${MEMBER}
      and database = (select oid from pg_database where datname = current_database())`;
  return row.members;
}
