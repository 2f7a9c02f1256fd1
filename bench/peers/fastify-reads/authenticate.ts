import type { Sql } from "postgres";
import { ApiError } from "#contract";
import { hashTokenSecret, isTokenSecret } from "#domain";

interface TokenRow {
  readonly organisation_id: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** From an `authorization` header to the organisation that may read: asked of the database for every request. */
export async function authenticate(sql: Sql, authorization: string): Promise<string> {
  const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  const token = isTokenSecret(secret) ? await find(sql, secret) : undefined;
  const isOver = token?.expires_at != null && token.expires_at <= new Date();
  if (token === undefined || token.revoked_at !== null || isOver) {
    throw new ApiError("authentication_error", "the token is not valid");
  }
  return token.organisation_id;
}

async function find(sql: Sql, secret: string): Promise<TokenRow | undefined> {
  const [token] = await sql<TokenRow[]>`
    select organisation_id, expires_at, revoked_at from api_tokens
    where secret_hash = ${Buffer.from(hashTokenSecret(secret))}`;
  return token;
}
