import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { ApiError, type PlatformAnswerOf } from "#contract";
import { createTokenSecret, decodeId, encodeId, hashTokenSecret } from "#domain";
import { jsonResponse, readPage, writePage } from "#http";
import {
  createRetailer,
  getRetailer,
  listRetailers,
  replaceRetailer,
  type StoredRetailer,
} from "#platform-store";
import type { PlatformEndpoint } from "../caller.ts";
import { type ConfigurationAccess, LIST_OWNER } from "../configuration-access.ts";
import { definePlatformEndpoint } from "../define-endpoint.ts";

/** Nothing about retailers leaves for the publishers. */
export function retailerEndpoints({
  store,
  cursors,
}: Pick<ConfigurationAccess, "store" | "cursors">): PlatformEndpoint[] {
  return [
    definePlatformEndpoint("retailer/upsert", async ({ body }) => {
      const fields = {
        name: body.name,
        merchantIds: body.merchant_ids,
        statementDescriptors: body.statement_descriptors ?? [],
      };
      if (body.id === undefined) {
        const token = createTokenSecret(randomBytes(32));
        const tokenHash = hashTokenSecret(token);
        const retailer = await createRetailer(store, { id: uuidv7(), ...fields, tokenHash });
        return jsonResponse(200, { ...writeRetailer(retailer), token });
      }
      const id = decodeId("ret", body.id);
      const retailer = id === undefined ? undefined : await replaceRetailer(store, { id, ...fields });
      if (retailer === undefined) throw unknownRetailer();
      return jsonResponse(200, writeRetailer(retailer));
    }),

    definePlatformEndpoint("retailer/get", async ({ body }) => {
      const id = decodeId("ret", body.id);
      const retailer = id === undefined ? undefined : await getRetailer(store, id);
      if (retailer === undefined) throw unknownRetailer();
      return jsonResponse(200, writeRetailer(retailer));
    }),

    definePlatformEndpoint("retailer/list", async ({ body }) => {
      const scope = "retailer/list";
      const page = await listRetailers(store, readPage(cursors, scope, LIST_OWNER, body.pagination));
      return jsonResponse(200, writePage(cursors, scope, LIST_OWNER, page, writeRetailer));
    }),
  ];
}

export function unknownRetailer(): ApiError {
  return new ApiError("not_found", "no such retailer", { resource: "retailer" });
}

function writeRetailer(retailer: StoredRetailer): PlatformAnswerOf<"retailer/get"> {
  return {
    id: encodeId("ret", retailer.id),
    name: retailer.name,
    merchant_ids: [...retailer.merchantIds],
    statement_descriptors: [...retailer.statementDescriptors],
    created_at: retailer.createdAt.toISOString(),
    updated_at: retailer.updatedAt.toISOString(),
  };
}
