import type { Fragment, Sql } from "#postgres";
import { selectMember } from "./select-member.ts";

/**
 * The member for whom a link (an enrolment, a clip) is about to be made, as `select id …` of no row or one; its row is
 * locked until the end of the transaction.
 *
 * The lock is why the writers of links cannot deadlock. Each takes the row of its one member first and then waits for
 * no other row of `members`, so bulk upserts and deletes, which take many of these rows in the order of their refs, at
 * most wait for it to end. Two writers for one member come one after the other here, and not in the unique index. A
 * deletion is either before (there is no member) or after (the cascade sees the link): never a foreign key violation.
 * Ingest only reads members and waits for nothing. It is not `for update`, so that rows which refer to the member can be
 * made meanwhile.
 */
export function lockMember(sql: Sql, organisationId: string, memberId: string): Fragment {
  return sql`${selectMember(sql, organisationId, memberId)} for no key update of members`;
}
