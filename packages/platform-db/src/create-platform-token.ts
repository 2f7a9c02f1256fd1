import type { Sql } from "#postgres";

export interface NewPlatformToken {
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
