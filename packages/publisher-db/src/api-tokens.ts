import { type Fragment, gatherLookups, type Sql } from "#postgres";

export type TokenAccess = "read" | "write";

/** The public fields of an API token, without the secret or its hash. */
export interface Token {
  readonly id: string;
  readonly access: TokenAccess;
  readonly description: string;
  readonly createdAt: Date;
  /** Null if it never expires. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Recorded at intervals, so it may lag by one of them; null if the token was never used. */
  readonly lastUsedAt: Date | null;
}

export function tokenColumns(sql: Sql): Fragment {
  return sql`
    id, access, description, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    last_used_at as "lastUsedAt"`;
}

interface NewToken {
  readonly id: string;
  readonly organisationId: string;
  readonly access: TokenAccess;
  readonly description: string;
  /** SHA-256 of the secret, 32 bytes. The secret itself never comes here. */
  readonly secretHash: Uint8Array;
  readonly expiresAt?: Date | undefined;
}

export async function createToken(sql: Sql, token: NewToken): Promise<Token> {
  const [created] = await sql<[Token]>`
    insert into api_tokens (id, organisation_id, access, description, secret_hash, expires_at)
    values (${token.id}, ${token.organisationId}, ${token.access}, ${token.description}, ${token.secretHash},
            ${token.expiresAt ?? null})
    returning ${tokenColumns(sql)}`;
  return created;
}

/** The fields of a token for access decisions. The caller judges whether it is valid at this moment. */
export interface TokenGrant {
  readonly id: string;
  readonly organisationId: string;
  readonly access: TokenAccess;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/**
 * Finds a token by the SHA-256 of its secret: the only read without an organisation, which the token gives. Look-ups share statements,
 * so that any number of unknown tokens takes two connections at most.
 */
export const findTokenByHash = gatherLookups<Uint8Array, TokenGrant>(async (sql, secretHashes) => {
  const hashes = secretHashes.map((hash) => Buffer.from(hash).toString("hex"));
  const rows = await sql<(TokenGrant | { readonly id: null })[]>`
    select found.*
    from unnest(${hashes}::text[]) with ordinality as wanted (hash, at)
    left join lateral (
      select id, organisation_id as "organisationId", access, expires_at as "expiresAt", revoked_at as "revokedAt"
      from api_tokens
      where secret_hash = decode(wanted.hash, 'hex')
      limit 1
    ) as found on true
    order by wanted.at`;
  return rows.map((row) => (row.id === null ? undefined : row));
});
