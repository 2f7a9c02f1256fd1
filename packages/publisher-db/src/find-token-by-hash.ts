import type { Sql } from "#postgres";
import type { TokenAccess } from "./token.ts";

/** What deciding about a request needs; whether the token holds at this moment is the caller's to say. */
export interface TokenGrant {
  readonly id: string;
  readonly organisationId: string;
  readonly access: TokenAccess;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/**
 * By SHA-256 of the secret. The only read that knows no organisation: it is how the organisation becomes
 * known.
 */
export async function findTokenByHash(sql: Sql, secretHash: Uint8Array): Promise<TokenGrant | undefined> {
  const [grant] = await sql<TokenGrant[]>`
    select id, organisation_id as "organisationId", access, expires_at as "expiresAt",
           revoked_at as "revokedAt"
    from api_tokens
    where secret_hash = ${secretHash}`;
  return grant;
}
