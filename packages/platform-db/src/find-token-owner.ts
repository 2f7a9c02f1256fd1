import type { Sql } from "#postgres";

/** Whose token it is: one of the platform's own, by its id, or a retailer's, by the retailer's id. */
export interface TokenOwner {
  readonly kind: "platform" | "retailer";
  readonly id: string;
}

/** By SHA-256 of the secret. */
export async function findTokenOwner(sql: Sql, secretHash: Uint8Array): Promise<TokenOwner | undefined> {
  const [owner] = await sql<TokenOwner[]>`
    select 'platform' as kind, id from platform.tokens where secret_hash = ${secretHash}
    union all
    select 'retailer' as kind, id from platform.retailers where token_hash = ${secretHash}`;
  return owner;
}
