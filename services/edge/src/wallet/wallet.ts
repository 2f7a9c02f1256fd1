import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError, type RequestOf } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, type HttpResponse, jsonResponse, readPage, writePage } from "#http";
import type { Sql, Store } from "#postgres";
import type { Cashback } from "#publisher-db";
import { unknownDeal } from "../deals/deals.ts";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { defineRepeatable, type IdempotencyKeys } from "../idempotency-keys.ts";
import { unknownProgram } from "../programs/programs.ts";
import { listCashbacks, writeReward } from "./cashbacks.ts";
import { type Clip, listClips, saveClip } from "./clips.ts";
import {
  createStampCollection,
  getStampCollection,
  listStampCollections,
  type StampCollection,
} from "./stamp-collections.ts";

/** What members have: enrolments, clips and cashbacks. */
export function walletEndpoints(
  store: Store,
  cursors: CursorKey,
  keys: IdempotencyKeys,
): PublisherEndpoint[] {
  return [
    defineRepeatable(keys, "wallet.stamp-collection/create", ({ body, caller }, sql) =>
      enrol(sql, caller.organisationId, body),
    ),

    defineEndpoint("wallet.stamp-collection/get", async ({ body, caller }) => {
      const id = decodeId("sc", body.id);
      const found = id === undefined ? undefined : await getStampCollection(store, caller.organisationId, id);
      if (found === undefined) {
        throw new ApiError("not_found", "no such stamp collection", { resource: "stamp_collection" });
      }
      return jsonResponse(200, writeStampCollection(found));
    }),

    defineEndpoint("wallet.stamp-collection/list", async ({ body, caller }) => {
      const scope = `wallet.stamp-collection/list ${body.member_id}`;
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const memberId = knownMember(body);
      const page = await listStampCollections(store, caller.organisationId, memberId, request);
      if (page === undefined) throw unknownMember();
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeStampCollection));
    }),

    defineRepeatable(keys, "wallet.clip/save", ({ body, caller }, sql) =>
      save(sql, caller.organisationId, body),
    ),

    defineEndpoint("wallet.clip/list", async ({ body, caller }) => {
      const scope = `wallet.clip/list ${body.member_id}`;
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listClips(store, caller.organisationId, knownMember(body), request);
      if (page === undefined) throw unknownMember();
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeClip));
    }),

    defineEndpoint("wallet.cashback/list", async ({ body, caller }) => {
      const scope = `wallet.cashback/list ${body.member_id}`;
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listCashbacks(store, caller.organisationId, knownMember(body), request);
      if (page === undefined) throw unknownMember();
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeCashback));
    }),
  ];
}

async function enrol(
  sql: Sql,
  organisationId: string,
  body: RequestOf<"wallet.stamp-collection/create">,
): Promise<HttpResponse> {
  const memberId = knownMember(body);
  const loyaltyProgramId = decodeId("lp", body.loyalty_program_id);
  if (loyaltyProgramId === undefined) throw unknownProgram();
  const enrolment = { id: uuidv7(), organisationId, memberId, loyaltyProgramId };
  const outcome = await createStampCollection(sql, enrolment);
  switch (outcome.kind) {
    case "created":
      return jsonResponse(200, writeStampCollection(outcome.stampCollection));
    case "already_enrolled":
      throw new ApiError("conflict", "the member is enrolled in this loyalty program already", {
        reason: "already_enrolled",
        stamp_collection_id: encodeId("sc", outcome.stampCollectionId),
      });
    case "no_member":
      throw unknownMember();
    case "no_program":
      throw unknownProgram();
  }
}

async function save(
  sql: Sql,
  organisationId: string,
  body: RequestOf<"wallet.clip/save">,
): Promise<HttpResponse> {
  const memberId = knownMember(body);
  const dealId = decodeId("deal", body.deal_id);
  if (dealId === undefined) throw unknownDeal();
  const outcome = await saveClip(sql, { id: uuidv7(), organisationId, memberId, dealId });
  switch (outcome.kind) {
    case "created":
      return jsonResponse(200, writeClip(outcome.clip));
    case "already_clipped":
      throw new ApiError("conflict", "the member has an open clip of this deal already", {
        reason: "already_clipped",
        clip_id: encodeId("clip", outcome.clipId),
      });
    case "deal_ended":
      throw new ApiError("conflict", "the deal is over", {
        reason: "deal_ended",
        ends_at: outcome.endsAt.toISOString(),
      });
    case "no_member":
      throw unknownMember();
    case "no_deal":
      throw unknownDeal();
  }
}

function knownMember(body: { readonly member_id: string }): string {
  const id = decodeId("m", body.member_id);
  if (id === undefined) throw unknownMember();
  return id;
}

function unknownMember(): ApiError {
  return new ApiError("not_found", "no such member", { resource: "member" });
}

function writeStampCollection(stampCollection: StampCollection): AnswerOf<"wallet.stamp-collection/get"> {
  return {
    id: encodeId("sc", stampCollection.id),
    loyalty_program_id: encodeId("lp", stampCollection.loyaltyProgramId),
    created_at: stampCollection.createdAt.toISOString(),
    unredeemed_purchases: stampCollection.unredeemedPurchases,
  };
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

function writeCashback(cashback: Cashback): AnswerOf<"wallet.cashback/list">["data"][number] {
  return {
    transaction_id: encodeId("tx", cashback.transactionId),
    transaction_ref: cashback.transactionRef,
    ...writeReward(cashback),
  };
}
