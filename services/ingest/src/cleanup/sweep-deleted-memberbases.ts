import type { Store } from "#postgres";
import { removeMembers } from "#publisher-db";

const MEMBERS_PER_STEP = 1000;

/**
 * Deletes members of deleted memberbases, at most a thousand, and returns how many. It also finds members
 * that an upsert adds afterwards, if the upsert began before the memberbase was deleted: the memberbase
 * counts them.
 */
export async function sweepDeletedMemberbases(store: Store): Promise<number> {
  return store.begin("isolation level read committed", async (sql) => {
    const [memberbase] = await sql<{ id: string }[]>`
      select id from memberbases where deleted_at is not null and member_count > 0 order by id limit 1`;
    if (memberbase === undefined) return 0;
    // By ref, as everywhere. If another process sweeps, it has locked the first ones already, and this one
    // leaves the memberbase to it.
    const locked = await sql<{ id: string }[]>`
      select id from members where memberbase_id = ${memberbase.id}
      order by ref limit ${MEMBERS_PER_STEP} for update skip locked`;
    return removeMembers(sql, locked);
  });
}
