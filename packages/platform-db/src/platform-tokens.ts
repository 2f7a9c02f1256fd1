import { lockForTransaction, type Sql, type Store } from "#postgres";

interface NewPlatformToken {
  readonly id: string;
  readonly description: string;
  /** SHA-256 of the secret, 32 bytes. The secret itself never comes here. */
  readonly secretHash: Uint8Array;
}

/** Makes a token that may do everything at the platform. Retailers' tokens are made with the retailers. */
export async function createPlatformToken(sql: Sql, token: NewPlatformToken): Promise<void> {
  await sql`
    insert into platform.tokens (id, description, secret_hash)
    values (${token.id}, ${token.description}, ${token.secretHash})`;
}

interface StoredPlatformToken {
  readonly id: string;
  readonly description: string;
  readonly createdAt: Date;
}

/** All tokens of the platform, oldest first; there are few. */
export async function listPlatformTokens(sql: Sql): Promise<StoredPlatformToken[]> {
  return sql<StoredPlatformToken[]>`
    select id, description, created_at as "createdAt" from platform.tokens order by id`;
}

/**
 * After the commit the token is refused, because the platform looks it up for each request.
 * @returns false if there is no such token
 */
export async function deletePlatformToken(sql: Sql, tokenId: string): Promise<boolean> {
  const rows = await sql`delete from platform.tokens where id = ${tokenId} returning 1`;
  return rows.length > 0;
}

interface FirstPlatformToken {
  readonly id: string;
  readonly description: string;
  /**
   * Called once, only if a token is to be created, and before the commit. A caller that keeps the secret in a
   * file writes it here: so a crash leaves at worst a secret without a token (which the next start replaces),
   * and never a token whose secret is lost.
   */
  readonly newSecret: () => { readonly secret: string; readonly hash: Uint8Array };
}

/**
 * Makes a token in a platform without any. Returns the secret; undefined if there is a token. Several
 * processes may call it at the same time.
 */
export async function ensureFirstPlatformToken(
  store: Store,
  first: FirstPlatformToken,
): Promise<string | undefined> {
  return store.begin(async (sql) => {
    await lockForTransaction(sql, "firstPlatformToken");
    const [{ exists }] = await sql<[{ exists: boolean }]>`
      select exists (select from platform.tokens) as exists`;
    if (exists) return undefined;
    const { secret, hash } = first.newSecret();
    await createPlatformToken(sql, { id: first.id, description: first.description, secretHash: hash });
    return secret;
  });
}
