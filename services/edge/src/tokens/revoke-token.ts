import type { Sql } from "#postgres";
import { type Token, tokenColumns } from "#publisher-db";

/** Permanent; the first `revokedAt` stands. undefined: the organisation has no such token. */
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
