import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { ApiError } from "#contract";
import type { PlatformAnswerOf } from "#contract/platform";
import { createTokenSecret, decodeId, encodeId, hashTokenSecret } from "#domain";
import { answerList, found, jsonResponse, notFound } from "#http";
import { rotateRetailerToken } from "#platform-db";
import type { ConfigurationAccess } from "../configuration/revised-endpoints.ts";
import { definePlatformEndpoint, LIST_OWNER, type PlatformEndpoint } from "../endpoint.ts";
import { makeOnce } from "../idempotency-keys.ts";
import {
  createRetailer,
  deleteRetailer,
  getRetailer,
  listRetailers,
  MerchantIdTakenError,
  replaceRetailer,
  type StoredRetailer,
} from "./retailer-rows.ts";

/** Endpoints for retailers. Publishers learn nothing about retailers. */
export function retailerEndpoints({
  store,
  cursors,
}: Pick<ConfigurationAccess, "store" | "cursors">): PlatformEndpoint[] {
  return [
    definePlatformEndpoint("retailer/upsert", async (call) => {
      const { body } = call;
      const fields = {
        name: body.name,
        merchantIds: body.merchant_ids,
        statementDescriptors: body.statement_descriptors ?? [],
      };
      if (body.id === undefined) {
        const token = createTokenSecret(randomBytes(32));
        const tokenHash = hashTokenSecret(token);
        const made = await makeOnce(store, "retailer/upsert", call, async (sql) => {
          const created = createRetailer(sql, { id: uuidv7(), ...fields, tokenHash });
          return { ...writeRetailer(await created.catch(refuseTaken)), token };
        });
        return jsonResponse(200, made);
      }
      const replaced = replaceRetailer(store, { id: idOf(body.id), ...fields }).catch(refuseTaken);
      return jsonResponse(200, writeRetailer(found(await replaced, unknownRetailer)));
    }),

    definePlatformEndpoint("retailer/rotate-token", async ({ body }) => {
      const id = idOf(body.id);
      const token = createTokenSecret(randomBytes(32));
      const overlapSeconds = body.overlap_seconds ?? OVERLAP_SECONDS;
      const rotated = await rotateRetailerToken(store, {
        id,
        tokenHash: hashTokenSecret(token),
        overlapSeconds,
      });
      const { previousUntil } = found(rotated, unknownRetailer);
      const previous = previousUntil !== null && { previous_until: previousUntil.toISOString() };
      return jsonResponse(200, { id: body.id, token, ...previous });
    }),

    definePlatformEndpoint("retailer/delete", async ({ body }) => {
      const retailer = found(await deleteRetailer(store, idOf(body.id)), unknownRetailer);
      return jsonResponse(200, {
        ...writeRetailer(retailer),
        deleted_at: retailer.deletedAt.toISOString(),
      });
    }),

    definePlatformEndpoint("retailer/get", async ({ body }) => {
      const retailer = found(await getRetailer(store, idOf(body.id)), unknownRetailer);
      return jsonResponse(200, writeRetailer(retailer));
    }),

    definePlatformEndpoint("retailer/list", ({ body }) =>
      answerList(
        { cursors, scope: "retailer/list", owner: LIST_OWNER, pagination: body.pagination },
        (page) => listRetailers(store, page),
        writeRetailer,
      ),
    ),
  ];
}

/** A day, as for webhook secrets. */
const OVERLAP_SECONDS = 86_400;

function refuseTaken(error: unknown): never {
  if (!(error instanceof MerchantIdTakenError)) throw error;
  const { merchantId, retailerId } = error.conflict;
  throw new ApiError(
    "conflict",
    "another retailer has this merchant id, and no statement descriptors tell the two apart",
    { reason: "merchant_id_taken", merchant_id: merchantId, retailer_id: encodeId("ret", retailerId) },
  );
}

export const unknownRetailer = () => notFound("retailer");

const idOf = (given: string) => found(decodeId("ret", given), unknownRetailer);

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
