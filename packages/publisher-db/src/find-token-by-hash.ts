import type { Sql } from "#postgres";
import type { TokenAccess } from "./token.ts";

/** What is needed to decide about a request. The caller judges whether the token is valid at this moment. */
export interface TokenGrant {
  readonly id: string;
  readonly organisationId: string;
  readonly access: TokenAccess;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/**
 * Finds a token by the SHA-256 of its secret. The only read without an organisation, because it is how the
 * organisation becomes known.
 */
export async function findTokenByHash(sql: Sql, secretHash: Uint8Array): Promise<TokenGrant | undefined> {
  const [grant] = await sql<TokenGrant[]>`
    select id, organisation_id as "organisationId", access, expires_at as "expiresAt",
           revoked_at as "revokedAt"
    from api_tokens
    where secret_hash = ${secretHash}`;
  return grant;
}
