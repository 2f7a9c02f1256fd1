import { lockForTransaction, type Sql, type Store } from "#postgres";

interface NewPlatformToken {
  readonly id: string;
  readonly description: string;
  /** SHA-256 of the secret, 32 bytes. The secret itself never comes here. */
  readonly secretHash: Uint8Array;
}

/** A token that may do everything at the platform. Retailers' tokens are made with the retailers. */
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

/** All of them, oldest first: they are few. */
export async function listPlatformTokens(sql: Sql): Promise<StoredPlatformToken[]> {
  return sql<StoredPlatformToken[]>`
    select id, description, created_at as "createdAt" from platform.tokens order by id`;
}

/** It counts for no request after the commit: the platform asks for each. @returns false: there is no such token */
export async function deletePlatformToken(sql: Sql, tokenId: string): Promise<boolean> {
  const rows = await sql`delete from platform.tokens where id = ${tokenId} returning 1`;
  return rows.length > 0;
}

interface FirstPlatformToken {
  readonly id: string;
  readonly description: string;
  /**
   * Called once, and only if a token is to be created, before that is committed: a caller that keeps the secret in a
   * file writes it here, so that a crash leaves at worst a secret without a token (replaced by the next start) and never
   * a token whose secret is lost.
   */
  readonly newSecret: () => { readonly secret: string; readonly hash: Uint8Array };
}

/**
 * Makes a token in a platform without any. Returns the secret; undefined if there is one. Several processes may call at
 * once.
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
