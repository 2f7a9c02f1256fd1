import type { Store } from "#postgres";
import { removeMembers } from "#publisher-db";

const MEMBERS_PER_STEP = 1000;

/**
 * Deletes members of deleted memberbases, at most a thousand, and says how many. Those that an upsert, begun before the
 * memberbase was deleted, adds afterwards are found too: the memberbase counts them.
 */
export async function sweepDeletedMemberbases(store: Store): Promise<number> {
  return store.begin("isolation level read committed", async (sql) => {
    const [memberbase] = await sql<{ id: string }[]>`
      select id from memberbases where deleted_at is not null and member_count > 0 order by id limit 1`;
    if (memberbase === undefined) return 0;
    // By ref, as everywhere. Another process that sweeps has the first ones locked already: it is left to it.
    const locked = await sql<{ id: string }[]>`
      select id from members where memberbase_id = ${memberbase.id}
      order by ref limit ${MEMBERS_PER_STEP} for update skip locked`;
    return removeMembers(sql, locked);
  });
}
