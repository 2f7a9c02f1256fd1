import { uuidv7 } from "uuidv7";
import { ApiError, type PlatformAnswerOf } from "#contract";
import { decodeId, encodeId, toUtcMicroseconds } from "#domain";
import { jsonResponse, readPage, writePage } from "#http";
import type { PlatformEndpoint } from "../caller.ts";
import { type ConfigurationAccess, LIST_OWNER } from "../configuration-access.ts";
import { definePlatformEndpoint } from "../define-endpoint.ts";
import { refuseDealContradictions } from "../refuse-contradictions.ts";
import { toStoredRules } from "../stored-rules.ts";
import { toMilliseconds, writeRules } from "../write-rules.ts";
import { createDeal } from "./create-deal.ts";
import type { StoredDeal } from "./deal.ts";
import { deleteDeal } from "./delete-deal.ts";
import { getDeal } from "./get-deal.ts";
import { listDeals } from "./list-deals.ts";
import { replaceDeal } from "./replace-deal.ts";

export function dealEndpoints({ store, cursors, keys, onChange }: ConfigurationAccess): PlatformEndpoint[] {
  return [
    definePlatformEndpoint("deal/upsert", async (call) => {
      const { body, traceparent } = call;
      refuseDealContradictions(body);
      const fields = {
        name: body.name,
        rewardConfig: body.reward_config,
        displayContent: body.display_content,
        rules: toStoredRules(body.rules),
        startsAt: body.starts_at === undefined ? null : toUtcMicroseconds(body.starts_at),
        endsAt: body.ends_at === undefined ? null : toUtcMicroseconds(body.ends_at),
      };
      if (body.id === undefined) {
        const made = await keys.make("deal/upsert", call, async (sql) =>
          writeDeal(await createDeal(sql, { id: uuidv7(), ...fields })),
        );
        onChange(traceparent);
        return jsonResponse(200, made.record);
      }
      const id = decodeId("deal", body.id);
      const deal = id === undefined ? undefined : await replaceDeal(store, { id, ...fields });
      if (deal === undefined) throw unknownDeal();
      onChange(traceparent);
      return jsonResponse(200, writeDeal(deal));
    }),

    definePlatformEndpoint("deal/get", async ({ body }) => {
      const id = decodeId("deal", body.id);
      const deal = id === undefined ? undefined : await getDeal(store, id);
      if (deal === undefined) throw unknownDeal();
      return jsonResponse(200, writeDeal(deal));
    }),

    definePlatformEndpoint("deal/list", async ({ body }) => {
      const scope = "deal/list";
      const page = await listDeals(store, readPage(cursors, scope, LIST_OWNER, body.pagination));
      return jsonResponse(200, writePage(cursors, scope, LIST_OWNER, page, writeDeal));
    }),

    definePlatformEndpoint("deal/delete", async ({ body, traceparent }) => {
      const id = decodeId("deal", body.id);
      const deal = id === undefined ? undefined : await deleteDeal(store, id);
      if (deal === undefined) throw unknownDeal();
      onChange(traceparent);
      return jsonResponse(200, { ...writeDeal(deal), deleted_at: deal.deletedAt?.toISOString() });
    }),
  ];
}

function unknownDeal(): ApiError {
  return new ApiError("not_found", "no such deal", { resource: "deal" });
}

function writeDeal(deal: StoredDeal): PlatformAnswerOf<"deal/get"> {
  return {
    id: encodeId("deal", deal.id),
    name: deal.name,
    reward_config: deal.rewardConfig,
    display_content: deal.displayContent,
    rules: writeRules(deal.rules),
    ...(deal.startsAt !== null && { starts_at: toMilliseconds(deal.startsAt) }),
    ...(deal.endsAt !== null && { ends_at: toMilliseconds(deal.endsAt) }),
    created_at: deal.createdAt.toISOString(),
    updated_at: deal.updatedAt.toISOString(),
  };
}
