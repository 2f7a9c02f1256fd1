import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { AnswerOf } from "#contract";
import { createTokenSecret, decodeId, encodeId, hashTokenSecret, toUtcMicroseconds } from "#domain";
import { badRequest, type CursorKey, found, jsonResponse, notFound } from "#http";
import { keyset, type Page, type PageRequest, type SharedStore, type Sql, toPage } from "#postgres";
import { createToken, type Token, tokenColumns } from "#publisher-db";
import { defineEndpoint, defineList, type PublisherEndpoint } from "../endpoint.ts";
import { defineRepeatable, type IdempotencyKeys } from "../idempotency-keys.ts";
import { type Bounds, refuseWithoutRoom } from "../lists/bounds.ts";

/**
 * @param announce resolves once no edge process accepts the revoked token any more
 * @param now the database's time
 */
export function apiTokenEndpoints(
  store: SharedStore,
  cursors: CursorKey,
  keys: IdempotencyKeys,
  announce: () => Promise<void>,
  now: () => Date,
  bounds: Bounds,
): PublisherEndpoint[] {
  return [
    defineRepeatable(keys, "api-token/create", async ({ body, caller }, sql) => {
      // A leap second is a valid timestamp, but `Date` cannot read one.
      const expiresAt =
        body.expires_at === undefined ? undefined : new Date(toUtcMicroseconds(body.expires_at));
      if (expiresAt !== undefined && expiresAt <= now()) {
        throw badRequest("/expires_at is in the past", { path: "/expires_at", message: "is in the past" });
      }
      await refuseWithoutRoom(sql, caller.organisationId, "tokens", bounds);
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

    defineList("api-token/list", { store, cursors }, listTokens, writeToken),

    defineEndpoint("api-token/revoke", async ({ body, caller: { organisationId } }) => {
      const id = found(decodeId("atok", body.id), unknownToken);
      const token = found(await revokeToken(store.lineOf(organisationId), organisationId, id), unknownToken);
      await announce();
      return jsonResponse(200, writeToken(token));
    }),
  ];
}

const unknownToken = () => notFound("token", "api_token");

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

/** All tokens of the organisation, revoked and expired ones too, oldest first. */
export async function listTokens(sql: Sql, organisationId: string, page: PageRequest): Promise<Page<Token>> {
  const rows = await sql<Token[]>`
    select ${tokenColumns(sql)}
    from api_tokens
    where organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}

/**
 * Revokes a token for good. If it was revoked before, the first `revokedAt` stays. undefined: the
 * organisation has no such token.
 */
export async function revokeToken(
  sql: Sql,
  organisationId: string,
  tokenId: string,
): Promise<Token | undefined> {
  const [revoked] = await sql<Token[]>`
    update api_tokens
    set revoked_at = coalesce(revoked_at, now())
    where id = ${tokenId} and organisation_id = ${organisationId}
    returning ${tokenColumns(sql)}`;
  return revoked;
}

/**
 * Records when tokens of any organisations (id → time) were last used. Called at intervals with the times
 * collected since, not at each request. Never replaces a later time, so processes may report in any order.
 * Ignores unknown ids.
 */
export async function touchTokens(sql: Sql, lastUsedAt: ReadonlyMap<string, Date>): Promise<void> {
  if (lastUsedAt.size === 0) return;
  const ids = [...lastUsedAt.keys()];
  const times = [...lastUsedAt.values()].map((time) => time.toISOString());
  // Two processes may report the same tokens: without one order of locking, by id, they could deadlock.
  await sql`
    with used as (
      select id, at from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
    ), locked as (
      select api_tokens.id, used.at
      from api_tokens join used using (id)
      order by api_tokens.id
      for no key update of api_tokens
    )
    update api_tokens
    set last_used_at = locked.at
    from locked
    where api_tokens.id = locked.id
      and (api_tokens.last_used_at is null or api_tokens.last_used_at < locked.at)`;
}
