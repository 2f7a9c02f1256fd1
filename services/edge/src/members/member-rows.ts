import {
  type CountedPage,
  type Fragment,
  gatherLookups,
  keyset,
  type MeasuredRow,
  type PageRequest,
  placedKeyset,
  type Sql,
  toMeasuredPage,
  withinBytes,
} from "#postgres";
import {
  type FilterColumns,
  filterCondition,
  isBounded,
  negateFilter,
  type StoreFilter,
} from "../lists/list-filters.ts";

/** The attribute values that an integrator may store (contract, section 5). */
export type AttributeValue = string | number | boolean | readonly string[];

export interface Member {
  readonly id: string;
  readonly memberbaseId: string;
  /** The integrator's name for the member, unique in the memberbase; compared by bytes. */
  readonly ref: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly createdAt: Date;
  /** Changes only if an attribute really changed. */
  readonly updatedAt: Date;
}

/** One entry of a bulk upsert: an attribute overwrites, null removes, an absent one is left unchanged. */
export interface MemberUpsert {
  readonly ref: string;
  readonly attributes?: Readonly<Record<string, AttributeValue | null>> | undefined;
}

/** The columns of a `Member`, from the table `members`. */
export function memberColumns(sql: Sql): Fragment {
  return sql`
    members.id, members.memberbase_id as "memberbaseId", members.ref, members.attributes,
    members.created_at as "createdAt", members.updated_at as "updatedAt"`;
}

export type MemberKey = { readonly id: string } | { readonly memberbaseId: string; readonly ref: string };

/** undefined: the organisation has no such member, or has deleted its memberbase. */
export function getMember(sql: Sql, organisationId: string, key: MemberKey): Promise<Member | undefined> {
  return "id" in key
    ? findById(sql, { organisationId, id: key.id })
    : findByRef(sql, { organisationId, memberbaseId: key.memberbaseId, ref: key.ref });
}

type IdKey = { readonly organisationId: string; readonly id: string };
type RefKey = { readonly organisationId: string; readonly memberbaseId: string; readonly ref: string };
type MemberOrNulls = Member | { readonly id: null };

/*
 * `limit 1` makes the planner run the inner select as one look-up for each key. It might plan an ordinary
 * join while the tables are small, and keep a plan that reads and hashes whole tables.
 */

const findById = gatherLookups<IdKey, Member>((sql, keys) => {
  const organisations = keys.map((key) => key.organisationId);
  const ids = keys.map((key) => key.id);
  const wanted = sql`
    unnest(${organisations}::uuid[], ${ids}::uuid[]) with ordinality as wanted (organisation_id, id, at)`;
  return findEach(sql, wanted, sql`members.id = wanted.id`);
});

const findByRef = gatherLookups<RefKey, Member>((sql, keys) => {
  const organisations = keys.map((key) => key.organisationId);
  const memberbases = keys.map((key) => key.memberbaseId);
  const refs = keys.map((key) => key.ref);
  const wanted = sql`
    unnest(${organisations}::uuid[], ${memberbases}::uuid[], ${refs}::text[])
      with ordinality as wanted (organisation_id, memberbase_id, ref, at)`;
  return findEach(
    sql,
    wanted,
    sql`members.memberbase_id = wanted.memberbase_id and members.ref = wanted.ref`,
  );
});

async function findEach(sql: Sql, wanted: Fragment, isWanted: Fragment): Promise<(Member | undefined)[]> {
  const rows = await sql<MemberOrNulls[]>`
    select found.*
    from ${wanted}
    left join lateral (
      select ${memberColumns(sql)}
      from members
      join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
      where ${isWanted} and members.organisation_id = wanted.organisation_id
      limit 1
    ) as found on true
    order by wanted.at`;
  return rows.map((row) => (row.id === null ? undefined : row));
}

export type MemberFilter = StoreFilter<"id" | "ref">;

const COLUMNS: FilterColumns<"id" | "ref"> = {
  id: { name: "members.id", type: "uuid" },
  ref: { name: "members.ref", type: "text" },
};

interface MemberListing {
  readonly organisationId: string;
  readonly memberbaseId: string;
  readonly filter?: MemberFilter | undefined;
}

/**
 * The members of a memberbase, oldest first; undefined if the organisation has no such memberbase, or has
 * deleted it. Every page costs the same, whether it is the first or the last of a million members. So does
 * `total`: it is the count in the memberbase minus the members that the filter excludes; a bounded filter's
 * matches are counted directly.
 */
export async function listMembers(
  sql: Sql,
  { organisationId, memberbaseId, filter }: MemberListing,
  page: PageRequest,
): Promise<CountedPage<Member> | undefined> {
  const scope = sql`members.memberbase_id = ${memberbaseId} and members.organisation_id = ${organisationId}`;
  const matching = filter === undefined ? scope : sql`${scope} and ${filterCondition(sql, COLUMNS, filter)}`;
  const bounded = filter !== undefined && isBounded(filter);
  const listed = bounded
    ? namedRows(sql, matching, page)
    : walkedRows(
        sql,
        matching,
        filter === undefined
          ? placedKeyset(sql, sql`members where memberbase_id = ${memberbaseId}`, page)
          : keyset(sql, page),
      );
  const rows = sql<(Member & MeasuredRow)[]>`
    ${withinBytes(sql, { rows: listed, order: sql`id`, long: [sql`attributes`] })}`;
  const total = bounded
    ? sql`(select count(*) from members where ${matching})`
    : sql`memberbases.member_count - ${leftOut(sql, scope, filter)}`;
  const counted = sql<{ total: number }[]>`
    select ${total} as total from memberbases
    where id = ${memberbaseId} and organisation_id = ${organisationId} and deleted_at is null`;
  if (filter !== undefined) for (const statement of [rows, counted]) statement.unprepared();
  const [members, [memberbase]] = await Promise.all([rows, counted]);
  return memberbase && { ...toMeasuredPage(members, page.limit), total: memberbase.total };
}

/** Reads members in the order of the index, from the beginning of the page. */
function walkedRows(sql: Sql, matching: Fragment, pagePlace: Fragment): Fragment {
  return sql`select ${memberColumns(sql)} from members where ${matching} ${pagePlace}`;
}

/**
 * Looks the named members up first and sorts them afterwards. For one plain select the planner may walk the
 * whole memberbase in order, expecting to meet the few members early.
 */
function namedRows(sql: Sql, matching: Fragment, page: PageRequest): Fragment {
  return sql`
    with members as materialized (select * from members where ${matching})
    select ${memberColumns(sql)} from members where true ${keyset(sql, page)}`;
}

function leftOut(sql: Sql, scope: Fragment, filter: MemberFilter | undefined): Fragment {
  if (filter === undefined) return sql`0`;
  const excluded = filterCondition(sql, COLUMNS, negateFilter(filter));
  return sql`(select count(*) from members where ${scope} and ${excluded})`;
}
