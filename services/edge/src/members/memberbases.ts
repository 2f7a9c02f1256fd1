import { uuidv7 } from "uuidv7";
import type { AnswerOf } from "#contract";
import { encodeId } from "#domain";
import { answerList, type CursorKey, jsonResponse, notFound } from "#http";
import {
  type CountedPage,
  type Fragment,
  keyset,
  type PageRequest,
  type SharedStore,
  type Sql,
  toPage,
} from "#postgres";
import { defineById, defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { defineRepeatable, type IdempotencyKeys } from "../idempotency-keys.ts";
import { type Bounds, refuseWithoutRoom } from "../lists/bounds.ts";
import {
  type FilterColumns,
  filterCondition,
  filterScope,
  readFilters,
  type StoreFilter,
} from "../lists/list-filters.ts";

const FILTER_KEYS = { name: { column: "name", read: (name: string) => name } } as const;

export function memberbaseEndpoints(
  store: SharedStore,
  cursors: CursorKey,
  keys: IdempotencyKeys,
  bounds: Bounds,
): PublisherEndpoint[] {
  const kind = { store, prefix: "mb", unknown: unknownMemberbase } as const;
  return [
    defineRepeatable(keys, "member-base/create", async ({ body, caller }, sql) => {
      await refuseWithoutRoom(sql, caller.organisationId, "memberbases", bounds);
      const memberbase = await createMemberbase(sql, {
        id: uuidv7(),
        organisationId: caller.organisationId,
        name: body.name,
      });
      return jsonResponse(200, writeMemberbase(memberbase));
    }),

    defineById("member-base/get", kind, getMemberbase, writeMemberbase),
    defineById("member-base/delete", kind, deleteMemberbase, writeMemberbase),

    defineEndpoint("member-base/list", ({ body, caller: { organisationId } }) => {
      const filter = readFilters(body.filters, FILTER_KEYS);
      const scope = `member-base/list ${filterScope(filter)}`;
      return answerList(
        { cursors, scope, owner: organisationId, pagination: body.pagination },
        (page) => listMemberbases(store.lineOf(organisationId), organisationId, page, filter),
        writeMemberbase,
      );
    }),
  ];
}

export const unknownMemberbase = () => notFound("memberbase", "member_base");

function writeMemberbase(memberbase: Memberbase): AnswerOf<"member-base/get"> {
  return {
    id: encodeId("mb", memberbase.id),
    name: memberbase.name,
    created_at: memberbase.createdAt.toISOString(),
    updated_at: memberbase.updatedAt.toISOString(),
    ...(memberbase.deletedAt !== null && { deleted_at: memberbase.deletedAt.toISOString() }),
  };
}

interface Memberbase {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
}

function memberbaseColumns(sql: Sql): Fragment {
  return sql`
    id, name, created_at as "createdAt", updated_at as "updatedAt", deleted_at as "deletedAt"`;
}

/** Creates a memberbase. Several memberbases of an organisation may have one name. */
export async function createMemberbase(
  sql: Sql,
  memberbase: { readonly id: string; readonly organisationId: string; readonly name: string },
): Promise<Memberbase> {
  const [created] = await sql<[Memberbase]>`
    insert into memberbases (id, organisation_id, name)
    values (${memberbase.id}, ${memberbase.organisationId}, ${memberbase.name})
    returning ${memberbaseColumns(sql)}`;
  return created;
}

/** undefined: the organisation has no such memberbase, or has deleted it. */
export async function getMemberbase(
  sql: Sql,
  organisationId: string,
  memberbaseId: string,
): Promise<Memberbase | undefined> {
  const [memberbase] = await sql<Memberbase[]>`
    select ${memberbaseColumns(sql)}
    from memberbases
    where id = ${memberbaseId} and organisation_id = ${organisationId} and deleted_at is null`;
  return memberbase;
}

type MemberbaseFilter = StoreFilter<"name">;

const COLUMNS: FilterColumns<"name"> = { name: { name: "name", type: "text" } };

/** Oldest first, without the deleted ones. Counts `total` each time: an organisation has few memberbases. */
export async function listMemberbases(
  sql: Sql,
  organisationId: string,
  page: PageRequest,
  filter?: MemberbaseFilter,
): Promise<CountedPage<Memberbase>> {
  // Shared by the page and the total, which must mean the same records.
  const there = sql`organisation_id = ${organisationId} and deleted_at is null`;
  const listed = filter === undefined ? there : sql`${there} and ${filterCondition(sql, COLUMNS, filter)}`;
  const listing = sql<Memberbase[]>`
    select ${memberbaseColumns(sql)} from memberbases where ${listed} ${keyset(sql, page)}`;
  const counted = sql<[{ total: number }]>`select count(*) as total from memberbases where ${listed}`;
  if (filter !== undefined) for (const statement of [listing, counted]) statement.unprepared();
  const [rows, [{ total }]] = await Promise.all([listing, counted]);
  return { ...toPage(rows, page.limit), total };
}

/**
 * Deletes a memberbase for good. If repeated, it returns the same record. Undefined if the organisation has
 * no such memberbase. Its members are out of reach immediately (`reachableMember`), and are removed later, in
 * the background.
 */
export async function deleteMemberbase(
  sql: Sql,
  organisationId: string,
  memberbaseId: string,
): Promise<Memberbase | undefined> {
  const [memberbase] = await sql<Memberbase[]>`
    update memberbases
    set deleted_at = coalesce(deleted_at, now()),
        updated_at = case when deleted_at is null then now() else updated_at end
    where id = ${memberbaseId} and organisation_id = ${organisationId}
    returning ${memberbaseColumns(sql)}`;
  return memberbase;
}
