import type { Fragment, Sql, Store } from "#postgres";

interface MemberDeletion {
  readonly organisationId: string;
  readonly memberbaseId: string;
  /** 1 to 5000, by ids or by refs; unknown ones are ignored. */
  readonly which: { readonly ids: readonly string[] } | { readonly refs: readonly string[] };
}

/**
 * Deletes members with their attributes. Returns how many, or undefined if the organisation has no such memberbase. For every reader
 * their enrolments and clips are gone at the same moment, and their transactions lose the member: an id without a row in `members`
 * is read as null (decision 46). Enrolments and clips are deleted when they can earn nothing more (`forget-members.ts`): a deletion
 * changes no earlier rewards.
 */
export async function deleteMembers(store: Store, deletion: MemberDeletion): Promise<number | undefined> {
  const { organisationId, memberbaseId, which } = deletion;
  return store.begin("isolation level read committed", async (sql) => {
    const [memberbase] = await sql`
      select 1 from memberbases
      where id = ${memberbaseId} and organisation_id = ${organisationId} and deleted_at is null`;
    if (memberbase === undefined) return undefined;
    const chosen =
      "ids" in which ? sql`id = any(${which.ids}::uuid[])` : sql`ref = any(${which.refs}::text[])`;
    // Ordered by ref, as upserts are: otherwise two requests that share members would deadlock. A deletion that waited for
    // another one does not count the rows that are gone.
    const locked = await sql<{ id: string }[]>`
      select id from members where memberbase_id = ${memberbaseId} and ${chosen} order by ref for update`;
    return removeMembers(sql, locked);
  });
}

/**
 * Deletes members that are locked; triggers count them and note them (`forget-members.ts`). Nothing can be added meanwhile,
 * because an enrolment or a clip needs the member's row.
 */
export async function removeMembers(sql: Sql, members: readonly { readonly id: string }[]): Promise<number> {
  if (members.length === 0) return 0;
  await sql`delete from members where id = any(${members.map(({ id }) => id)}::uuid[])`;
  return members.length;
}

/**
 * Whether the memberbase of a member `m` is not deleted. Once it is, its members cannot be reached any more,
 * and are removed afterwards. Looks up the member's own memberbase, and never the list of deleted ones, which
 * only grows: `offset 0` keeps the planner from making it a join with that list.
 */
export function reachableMember(sql: Sql): Fragment {
  return sql`not exists (
    select from memberbases where memberbases.id = m.memberbase_id and deleted_at is not null offset 0
  )`;
}
