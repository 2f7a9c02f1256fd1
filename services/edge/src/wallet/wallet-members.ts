import { decodeId } from "#domain";
import { answerList, type CursorKey, found } from "#http";
import type { Fragment, Page, PageRequest, SharedStore, Sql } from "#postgres";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { unknownMember } from "../members/members.ts";

type MemberListRoute =
  | "wallet.stamp-collection/list"
  | "wallet.clip/list"
  | "wallet.cashback/list"
  | "wallet.redemption/list";

/**
 * An endpoint that lists records of one member.
 * @param list gives undefined if the organisation has no such member
 */
export function defineMemberList<T extends { readonly id: string }>(
  route: MemberListRoute,
  { store, cursors }: { readonly store: SharedStore; readonly cursors: CursorKey },
  list: (
    sql: Sql,
    organisationId: string,
    memberId: string,
    page: PageRequest,
  ) => Promise<Page<T> | undefined>,
  write: (record: T) => object,
): PublisherEndpoint {
  return defineEndpoint(route, ({ body, caller: { organisationId } }) =>
    answerList(
      { cursors, scope: `${route} ${body.member_id}`, owner: organisationId, pagination: body.pagination },
      async (page) => {
        const memberId = found(decodeId("m", body.member_id), unknownMember);
        return found(await list(store.lineOf(organisationId), organisationId, memberId, page), unknownMember);
      },
      write,
    ),
  );
}

/** Whether the organisation has this member, in a memberbase that is not deleted. */
export async function hasMember(sql: Sql, organisationId: string, memberId: string): Promise<boolean> {
  const rows = await sql`${selectMember(sql, organisationId, memberId)}`;
  return rows.length > 0;
}

/** `select id …` of the organisation's member: one row, or none, for example if its memberbase is deleted. */
function selectMember(sql: Sql, organisationId: string, memberId: string): Fragment {
  return sql`
    select members.id
    from members
    join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
    where members.id = ${memberId} and members.organisation_id = ${organisationId}`;
}

/**
 * The member for whom a link (an enrolment, a clip) is about to be made, as `select id …` with one row or
 * none. Locks the row until the end of the database transaction.
 *
 * This lock keeps the writers of links from deadlocks. Each locks the row of its one member first and then
 * waits for no other row of `members`; so bulk upserts and deletes, which lock many of these rows in the
 * order of their refs, only wait for the writer to end. Two writers for one member wait for each other here,
 * and not in the unique index. A deletion of the member comes either before (there is no member) or after
 * (the cascade sees the link), so there is never a foreign key violation. Ingest only reads members and does
 * not wait. The lock is not `for update`, so that others can insert rows that refer to the member meanwhile.
 */
export function lockMember(sql: Sql, organisationId: string, memberId: string): Fragment {
  return sql`${selectMember(sql, organisationId, memberId)} for no key update of members`;
}

/**
 * Sets `members.linked` for the `member_id` of a table `created`. Does not write a member that is marked
 * already.
 */
export function markLinked(sql: Sql): Fragment {
  return sql`
    update members set linked = true from created where members.id = created.member_id and not members.linked`;
}
