import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError, LIMITS } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, found, jsonResponse } from "#http";
import {
  type Fragment,
  type Page,
  type PageRequest,
  placedKeyset,
  type SharedStore,
  type Sql,
  toPage,
} from "#postgres";
import type { PublisherEndpoint } from "../endpoint.ts";
import { defineRepeatable, type IdempotencyKeys } from "../idempotency-keys.ts";
import { type Bounds, tooMany } from "../lists/bounds.ts";
import { unknownMember } from "../members/members.ts";
import { unknownDeal } from "../offers/deals.ts";
import { defineMemberList, hasMember, lockMember, markLinked } from "./wallet-members.ts";

/** Endpoints for clips: deals that members have saved. */
export function clipEndpoints(
  store: SharedStore,
  cursors: CursorKey,
  keys: IdempotencyKeys,
  bounds: Bounds,
): PublisherEndpoint[] {
  return [
    defineRepeatable(keys, "wallet.clip/save", async ({ body, caller: { organisationId } }, sql) => {
      const memberId = found(decodeId("m", body.member_id), unknownMember);
      const dealId = found(decodeId("deal", body.deal_id), unknownDeal);
      const wanted = { id: uuidv7(), organisationId, memberId, dealId };
      return jsonResponse(200, writeClip(await saveClip(sql, wanted, bounds.openClips)));
    }),

    defineMemberList("wallet.clip/list", { store, cursors }, listClips, writeClip),
  ];
}

function writeClip(clip: Clip): AnswerOf<"wallet.clip/save"> {
  return {
    id: encodeId("clip", clip.id),
    deal_id: encodeId("deal", clip.dealId),
    member_id: encodeId("m", clip.memberId),
    created_at: clip.createdAt.toISOString(),
    ...(clip.redeemedAt !== null && { redeemed_at: clip.redeemedAt.toISOString() }),
  };
}

/** A deal that a member has saved; open until it is redeemed. */
export interface Clip {
  readonly id: string;
  readonly dealId: string;
  readonly memberId: string;
  readonly createdAt: Date;
  readonly redeemedAt: Date | null;
}

function clipColumns(sql: Sql): Fragment {
  return sql`
    id, deal_id as "dealId", member_id as "memberId", created_at as "createdAt", redeemed_at as "redeemedAt"`;
}

interface NewClip {
  readonly id: string;
  readonly organisationId: string;
  readonly memberId: string;
  readonly dealId: string;
}

/**
 * How often a save may find neither room for its clip nor the clip that is in the way: that clip was redeemed
 * in between, so there is room now. It can only repeat if the same member and deal are saved and redeemed
 * within these moments.
 */
const ATTEMPTS = 3;

/**
 * Saves a deal for a member. Of concurrent calls for the same member and deal, exactly one creates a clip;
 * the others get its id. A redeemed clip does not matter. A deal that has not begun may be saved, because it
 * is listed and the platform decides which purchases count; a deal that has ended may not.
 *
 * Runs on a store or in a database transaction, which must be read committed, as for `createStampCollection`.
 * It holds the member's row while it waits for an uncommitted redemption of the same clip. So code that
 * redeems a clip must not wait for the member's row afterwards.
 * @param limit clips that the member may have and that are open or may open again, because their purchase is
 * not final: every purchase carries all of these. Concurrent calls may exceed it by their number
 * @throws ApiError `not_found` for the member or the deal, or `conflict`
 */
export async function saveClip(
  sql: Sql,
  wanted: NewClip,
  limit: number = LIMITS.openClipsPerMember,
): Promise<Clip> {
  const { id, memberId, dealId } = wanted;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const [saved] = await insertClip(sql, wanted, limit);
    if (!saved.hasMember) throw unknownMember();
    if (!saved.hasDeal) throw unknownDeal();
    if (saved.endedAt !== null) {
      const ends_at = saved.endedAt.toISOString();
      throw new ApiError("conflict", "the deal is over", { reason: "deal_ended", ends_at });
    }
    if (saved.createdAt !== null) {
      return { id, dealId, memberId, createdAt: saved.createdAt, redeemedAt: null };
    }
    // A statement with a later snapshot: the first one may have waited for the call that created the clip.
    const [open] = await sql<{ id: string }[]>`
      select id from clips
      where member_id = ${memberId} and deal_id = ${dealId} and redeemed_at is null
        and exists (select from members where members.id = ${memberId})`;
    if (open !== undefined) {
      throw new ApiError("conflict", "the member has an open clip of this deal already", {
        reason: "already_clipped",
        clip_id: encodeId("clip", open.id),
      });
    }
    if (!saved.hasRoom) throw tooMany("openClips", limit);
  }
  throw new Error("a clip was in the way and could not be found");
}

interface InsertedClip {
  readonly hasMember: boolean;
  readonly hasDeal: boolean;
  readonly hasRoom: boolean;
  readonly endedAt: Date | null;
  readonly createdAt: Date | null;
}

/**
 * One statement, so that the clip, `members.linked` and the note for ingest are written together or not at
 * all.
 */
function insertClip(sql: Sql, { id, organisationId, memberId, dealId }: NewClip, limit: number) {
  return sql<[InsertedClip]>`
    with member as materialized (${lockMember(sql, organisationId, memberId)}),
    deal as materialized (
      select id, case when ends_at <= now() then ends_at end as ended_at
      from deals where id = ${dealId} and removed_at is null
    ),
    -- A reversal that opens it again holds it, and either sees the new clip or is seen here.
    newest as materialized (
      select created_at from clips where member_id = ${memberId} and deal_id = ${dealId}
      order by created_at desc, id desc limit 1 for no key update
    ),
    room as materialized (
      select count(*) < ${limit} as is_left
      from (
        select from clips where member_id = ${memberId} and redeemed_at is null
        union all
        select from cashbacks
        where member_id = ${memberId} and clip_id is not null and cleared_at is null and reverted_at is null
        limit ${limit}
      ) as up_to_the_bound
    ),
    created as (
      -- Always after the newest, also if a standby whose clock is behind was promoted.
      insert into clips (created_at, id, organisation_id, member_id, deal_id)
      select greatest(date_trunc('milliseconds', now()), newest.created_at + interval '1 millisecond'),
             ${id}, ${organisationId}, member.id, deal.id
      from member cross join deal cross join room left join newest on true
      where deal.ended_at is null and room.is_left
      on conflict (member_id, deal_id) where redeemed_at is null do nothing
      returning id, member_id, deal_id, created_at
    ),
    linked as (${markLinked(sql)}),
    noted as (
      insert into new_links (id, made_at, member_id, deal_id)
      select id, created_at, member_id, deal_id from created
    )
    select exists (select 1 from member) as "hasMember", exists (select 1 from deal) as "hasDeal",
           (select is_left from room) as "hasRoom",
           (select ended_at from deal) as "endedAt", (select created_at from created) as "createdAt"`;
}

/** A member's clips, open and redeemed, oldest first; undefined if the organisation has no such member. */
export async function listClips(
  sql: Sql,
  organisationId: string,
  memberId: string,
  page: PageRequest,
): Promise<Page<Clip> | undefined> {
  if (!(await hasMember(sql, organisationId, memberId))) return undefined;
  const rows = await sql<Clip[]>`
    select ${clipColumns(sql)} from clips
    where member_id = ${memberId} and organisation_id = ${organisationId}
      ${placedKeyset(sql, sql`clips where member_id = ${memberId}`, page)}`;
  return toPage(rows, page.limit);
}
