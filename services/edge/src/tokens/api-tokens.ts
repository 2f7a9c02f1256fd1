import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { type AnswerOf, ApiError } from "#contract";
import { createTokenSecret, decodeId, encodeId, hashTokenSecret, toUtcMicroseconds } from "#domain";
import { badRequest, type CursorKey, jsonResponse, readPage, writePage } from "#http";
import type { Store } from "#postgres";
import { createToken, type Token } from "#publisher-db";
import type { PublisherEndpoint } from "../caller.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { defineRepeatable } from "../define-repeatable.ts";
import type { IdempotencyKeys } from "../idempotency-keys.ts";
import { listTokens } from "./list-tokens.ts";
import { revokeToken } from "./revoke-token.ts";

/**
 * @param announce resolves when no edge process accepts a revoked token any more
 * @param now the database's time
 */
export function apiTokenEndpoints(
  store: Store,
  cursors: CursorKey,
  keys: IdempotencyKeys,
  announce: () => Promise<void>,
  now: () => Date,
): PublisherEndpoint[] {
  return [
    defineRepeatable(keys, "api-token/create", async ({ body, caller }, sql) => {
      // Date knows no leap second, which is a timestamp all the same.
      const expiresAt =
        body.expires_at === undefined ? undefined : new Date(toUtcMicroseconds(body.expires_at));
      if (expiresAt !== undefined && expiresAt <= now()) {
        throw badRequest("/expires_at is in the past", { path: "/expires_at", message: "is in the past" });
      }
      const secret = createTokenSecret(randomBytes(32));
      const token = await createToken(sql, {
        id: uuidv7(),
        organisationId: caller.organisationId,
        access: body.access,
        description: body.description,
        secretHash: hashTokenSecret(secret),
        expiresAt,
      });
      return jsonResponse(200, { ...writeToken(token), token: secret });
    }),

    defineEndpoint("api-token/list", async ({ body, caller }) => {
      const scope = "api-token/list";
      const request = readPage(cursors, scope, caller.organisationId, body.pagination);
      const page = await listTokens(store, caller.organisationId, request);
      return jsonResponse(200, writePage(cursors, scope, caller.organisationId, page, writeToken));
    }),

    defineEndpoint("api-token/revoke", async ({ body, caller }) => {
      const id = decodeId("atok", body.id);
      const token = id === undefined ? undefined : await revokeToken(store, caller.organisationId, id);
      if (token === undefined) throw new ApiError("not_found", "no such token", { resource: "api_token" });
      await announce();
      return jsonResponse(200, writeToken(token));
    }),
  ];
}

function writeToken(token: Token): AnswerOf<"api-token/revoke"> {
  return {
    id: encodeId("atok", token.id),
    access: token.access,
    description: token.description,
    created_at: token.createdAt.toISOString(),
    ...(token.expiresAt !== null && { expires_at: token.expiresAt.toISOString() }),
    ...(token.revokedAt !== null && { revoked_at: token.revokedAt.toISOString() }),
    ...(token.lastUsedAt !== null && { last_used_at: token.lastUsedAt.toISOString() }),
  };
}
