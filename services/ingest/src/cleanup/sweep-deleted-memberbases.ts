import { NIL_UUID } from "#domain";
import type { Sql, Store } from "#postgres";
import { removeMembers } from "#publisher-db";

const MEMBERS_PER_STEP = 1000;
/** Deleted memberbases that one step looks at, some 5 ms: they stay for ever, nearly all without members. */
const LOOKED_AT = 5_000;

/** Where the next step begins; undefined: there are no more deleted memberbases. */
export interface MemberbasePlace {
  next: string | undefined;
}

/**
 * One step: deletes members of a deleted memberbase, at most a thousand, and returns how many. It also finds
 * members that an upsert adds afterwards, if the upsert began before the memberbase was deleted: the
 * memberbase counts them.
 */
export async function sweepDeletedMemberbases(
  store: Store,
  place: MemberbasePlace = { next: NIL_UUID },
): Promise<number> {
  return store.begin("isolation level read committed", async (sql) => {
    const { id, last } = await lookForMembers(sql, place.next ?? NIL_UUID);
    if (id === null) {
      place.next = last ?? undefined;
      return 0;
    }
    // By ref, as everywhere. If another process sweeps, it has locked the first ones already, and this one
    // leaves the memberbase to it.
    const locked = await sql<{ id: string }[]>`
      select id from members where memberbase_id = ${id}
      order by ref limit ${MEMBERS_PER_STEP} for update skip locked`;
    if (locked.length === 0) place.next = id;
    return removeMembers(sql, locked);
  });
}

/** The first deleted memberbase with members among those that one step looks at, and the last of these. */
export async function lookForMembers(
  sql: Sql,
  after: string,
): Promise<{ readonly id: string | null; readonly last: string | null }> {
  const [look] = await sql<[{ id: string | null; last: string | null }]>`
    with looked_at as materialized (
      select id, member_count from memberbases
      where deleted_at is not null and id > ${after} order by id limit ${LOOKED_AT}
    )
    select (select id from looked_at where member_count > 0 order by id limit 1) as id,
           (select id from looked_at order by id desc limit 1) as last`;
  return look;
}
