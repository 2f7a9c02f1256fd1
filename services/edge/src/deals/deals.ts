import { type AnswerOf, ApiError } from "#contract";
import { decodeId, encodeId } from "#domain";
import { type CursorKey, jsonResponse, readPage, writePage } from "#http";
import type { Store } from "#postgres";
import type { Deal } from "#publisher-db";
import type { PublisherEndpoint } from "../caller.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { getDeal } from "./get-deal.ts";
import { listDeals } from "./list-deals.ts";

/** The platform configures deals and every organisation sees the same; a cursor is one organisation's all the same. */
export function dealEndpoints(store: Store, cursors: CursorKey): PublisherEndpoint[] {
  return [
    defineEndpoint("deal/get", async ({ body }) => {
      const id = decodeId("deal", body.id);
      const deal = id === undefined ? undefined : await getDeal(store, id);
      if (deal === undefined) throw unknownDeal();
      return jsonResponse(200, writeDeal(deal));
    }),

    defineEndpoint("deal/list", async ({ body, caller }) => {
      const scope = "deal/list";
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listDeals(store, request);
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeDeal));
    }),
  ];
}

export function unknownDeal(): ApiError {
  return new ApiError("not_found", "no such deal", { resource: "deal" });
}

function writeDeal(deal: Deal): AnswerOf<"deal/get"> {
  return {
    id: encodeId("deal", deal.id),
    name: deal.name,
    reward_config: deal.rewardConfig,
    display_content: deal.displayContent,
    ...(deal.startsAt !== null && { starts_at: deal.startsAt.toISOString() }),
    ...(deal.endsAt !== null && { ends_at: deal.endsAt.toISOString() }),
    created_at: deal.createdAt.toISOString(),
    updated_at: deal.updatedAt.toISOString(),
  };
}
