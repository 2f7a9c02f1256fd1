import { lockForTransaction, type Store } from "#postgres";
import { createPlatformToken } from "./create-platform-token.ts";

export interface FirstPlatformToken {
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
