import type { Fragment, Sql } from "#postgres";
import { type CountedPage, keyset, type PageRequest, toPage } from "#postgres";
import { type FilterColumns, filterCondition, isBounded, negateFilter, type StoreFilter } from "../filter.ts";
import { type Member, memberColumns } from "./member.ts";

export type MemberFilter = StoreFilter<"id" | "ref">;

const COLUMNS: FilterColumns<"id" | "ref"> = {
  id: { name: "members.id", type: "uuid" },
  ref: { name: "members.ref", type: "text" },
};

export interface MemberListing {
  readonly organisationId: string;
  readonly memberbaseId: string;
  readonly filter?: MemberFilter | undefined;
}

/**
 * The members of a memberbase, oldest first; undefined if the organisation has no such memberbase, or has deleted it.
 * Every page costs the same, the last of a million as the first, and so does `total`: it comes from the memberbase's own
 * count, less what a filter leaves out where that is the smaller side.
 */
export async function listMembers(
  sql: Sql,
  { organisationId, memberbaseId, filter }: MemberListing,
  page: PageRequest,
): Promise<CountedPage<Member> | undefined> {
  const scope = sql`members.memberbase_id = ${memberbaseId} and members.organisation_id = ${organisationId}`;
  const matching = filter === undefined ? scope : sql`${scope} and ${filterCondition(sql, COLUMNS, filter)}`;
  const bounded = filter !== undefined && isBounded(filter);
  const rows = bounded ? namedRows(sql, matching, page) : walkedRows(sql, matching, page);
  const total = bounded
    ? sql`(select count(*) from members where ${matching})`
    : sql`memberbases.member_count - ${leftOut(sql, scope, filter)}`;
  const counted = sql<{ total: number }[]>`
    select ${total} as total from memberbases
    where id = ${memberbaseId} and organisation_id = ${organisationId} and deleted_at is null`;
  if (filter !== undefined) for (const statement of [rows, counted]) statement.unprepared();
  const [members, [memberbase]] = await Promise.all([rows, counted]);
  return memberbase && { ...toPage(members, page.limit), total: memberbase.total };
}

/** In the order of the index, from where the page begins. */
function walkedRows(sql: Sql, matching: Fragment, page: PageRequest) {
  return sql<Member[]>`select ${memberColumns(sql)} from members where ${matching} ${keyset(sql, page)}`;
}

/**
 * What a filter names is looked up first and sorted afterwards. Asked for in one go, the planner may prefer to walk the
 * whole memberbase in order and hope to meet the few early.
 */
function namedRows(sql: Sql, matching: Fragment, page: PageRequest) {
  return sql<Member[]>`
    with members as materialized (select * from members where ${matching})
    select ${memberColumns(sql)} from members where true ${keyset(sql, page)}`;
}

function leftOut(sql: Sql, scope: Fragment, filter: MemberFilter | undefined): Fragment {
  if (filter === undefined) return sql`0`;
  const excluded = filterCondition(sql, COLUMNS, negateFilter(filter));
  return sql`(select count(*) from members where ${scope} and ${excluded})`;
}
