import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError, LIMITS } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, found, jsonResponse, notFound } from "#http";
import {
  type Fragment,
  keyset,
  type Page,
  type PageRequest,
  type SharedStore,
  type Sql,
  toPage,
} from "#postgres";
import { defineById, type PublisherEndpoint } from "../endpoint.ts";
import { defineRepeatable, type IdempotencyKeys } from "../idempotency-keys.ts";
import { type Bounds, tooMany } from "../lists/bounds.ts";
import { unknownMember } from "../members/members.ts";
import { unknownProgram } from "../offers/programs.ts";
import { defineMemberList, hasMember, lockMember, markLinked } from "./wallet-members.ts";

/** Endpoints for enrolments of members in loyalty programs. */
export function stampCollectionEndpoints(
  store: SharedStore,
  cursors: CursorKey,
  keys: IdempotencyKeys,
  bounds: Bounds,
): PublisherEndpoint[] {
  return [
    defineRepeatable(
      keys,
      "wallet.stamp-collection/create",
      async ({ body, caller: { organisationId } }, sql) => {
        const memberId = found(decodeId("m", body.member_id), unknownMember);
        const loyaltyProgramId = found(decodeId("lp", body.loyalty_program_id), unknownProgram);
        const wanted = { id: uuidv7(), organisationId, memberId, loyaltyProgramId };
        const created = await createStampCollection(sql, wanted, bounds.enrolments);
        return jsonResponse(200, writeStampCollection(created));
      },
    ),

    defineById(
      "wallet.stamp-collection/get",
      { store, prefix: "sc", unknown: unknownStampCollection },
      getStampCollection,
      writeStampCollection,
    ),

    defineMemberList(
      "wallet.stamp-collection/list",
      { store, cursors },
      listStampCollections,
      writeStampCollection,
    ),
  ];
}

export const unknownStampCollection = () => notFound("stamp collection", "stamp_collection");

function writeStampCollection(stampCollection: StampCollection): AnswerOf<"wallet.stamp-collection/get"> {
  return {
    id: encodeId("sc", stampCollection.id),
    loyalty_program_id: encodeId("lp", stampCollection.loyaltyProgramId),
    created_at: stampCollection.createdAt.toISOString(),
    unredeemed_purchases: stampCollection.unredeemedPurchases,
  };
}

/** A member's enrolment in a loyalty program. */
export interface StampCollection {
  readonly id: string;
  readonly loyaltyProgramId: string;
  readonly createdAt: Date;
  /** Stamps that are neither voided nor redeemed. */
  readonly unredeemedPurchases: number;
}

/** The columns of a `StampCollection`, from the table `stamp_collections`, also in a join. */
function stampCollectionColumns(sql: Sql): Fragment {
  return sql`
    stamp_collections.id, stamp_collections.loyalty_program_id as "loyaltyProgramId",
    stamp_collections.created_at as "createdAt", stamp_collections.unredeemed_purchases as "unredeemedPurchases"`;
}

interface NewStampCollection {
  readonly id: string;
  readonly organisationId: string;
  readonly memberId: string;
  readonly loyaltyProgramId: string;
}

/**
 * Enrols a member in a loyalty program. Of concurrent calls for the same member and program, exactly one
 * creates an enrolment; the others get its id. Runs on a store or in a database transaction, which must be
 * read committed: with one snapshot for all its statements, it would end with a serialization failure after
 * waiting for another call.
 * @param limit enrolments that the member may have; concurrent calls may exceed it by their number
 * @throws ApiError `not_found` for the member or the program, or `conflict`
 */
export async function createStampCollection(
  sql: Sql,
  wanted: NewStampCollection,
  limit: number = LIMITS.enrolmentsPerMember,
): Promise<StampCollection> {
  const { id, memberId, loyaltyProgramId } = wanted;
  const [created] = await insertStampCollection(sql, wanted, limit);
  if (!created.hasMember) throw unknownMember();
  if (!created.hasProgram) throw unknownProgram();
  const { createdAt } = created;
  if (createdAt !== null) return { id, loyaltyProgramId, createdAt, unredeemedPurchases: 0 };
  // A separate statement with a later snapshot: the first one may have waited for the call that created the
  // enrolment, and cannot see its commit. Outside of a database transaction the member may be deleted between
  // the two statements.
  const [existing] = await sql<{ id: string }[]>`
    select id from stamp_collections
    where member_id = ${memberId} and loyalty_program_id = ${loyaltyProgramId}
      and exists (select from members where members.id = ${memberId})`;
  if (existing === undefined) throw created.hasRoom ? unknownMember() : tooMany("enrolments", limit);
  throw new ApiError("conflict", "the member is enrolled in this loyalty program already", {
    reason: "already_enrolled",
    stamp_collection_id: encodeId("sc", existing.id),
  });
}

/**
 * One statement, so that the enrolment, `members.linked` and the note for ingest are written together or not
 * at all: the enrolment of an unmarked member would never reach the platform.
 */
function insertStampCollection(
  sql: Sql,
  { id, organisationId, memberId, loyaltyProgramId }: NewStampCollection,
  limit: number,
) {
  return sql<[{ hasMember: boolean; hasProgram: boolean; hasRoom: boolean; createdAt: Date | null }]>`
    with member as materialized (${lockMember(sql, organisationId, memberId)}),
    program as materialized (
      select id from loyalty_programs where id = ${loyaltyProgramId} and removed_at is null
    ),
    room as materialized (
      select count(*) < ${limit} as is_left
      from (select from stamp_collections where member_id = ${memberId} limit ${limit}) as up_to_the_bound
    ),
    created as (
      insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
      select ${id}, ${organisationId}, member.id, program.id from member cross join program cross join room
      where room.is_left
      on conflict (member_id, loyalty_program_id) do nothing
      returning id, member_id, loyalty_program_id, created_at
    ),
    linked as (${markLinked(sql)}),
    noted as (
      insert into new_links (id, made_at, member_id, loyalty_program_id)
      select id, created_at, member_id, loyalty_program_id from created
    )
    select exists (select 1 from member) as "hasMember", exists (select 1 from program) as "hasProgram",
           (select is_left from room) as "hasRoom",
           (select created_at from created) as "createdAt"`;
}

/** undefined: the organisation has no such stamp collection, or has deleted its member's memberbase. */
export async function getStampCollection(
  sql: Sql,
  organisationId: string,
  stampCollectionId: string,
): Promise<StampCollection | undefined> {
  const [stampCollection] = await sql<StampCollection[]>`
    select ${stampCollectionColumns(sql)}
    from stamp_collections
    join members on members.id = stamp_collections.member_id
    join memberbases on memberbases.id = members.memberbase_id and memberbases.deleted_at is null
    where stamp_collections.id = ${stampCollectionId} and stamp_collections.organisation_id = ${organisationId}`;
  return stampCollection;
}

/**
 * A member's enrolments, oldest first; undefined if the organisation has no such member. Includes those in
 * removed programs: the member keeps collected stamps.
 */
export async function listStampCollections(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<StampCollection> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<StampCollection[]>`
    select ${stampCollectionColumns(sql)} from stamp_collections
    where member_id = ${memberId} and organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
