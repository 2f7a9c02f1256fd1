import type { Sql } from "#postgres";

/** The owner of a token: the platform, with the token's id, or a retailer, with the retailer's id. */
interface TokenOwner {
  readonly kind: "platform" | "retailer";
  readonly id: string;
}

/** Finds the owner by the SHA-256 of the secret. */
export async function findTokenOwner(sql: Sql, secretHash: Uint8Array): Promise<TokenOwner | undefined> {
  const [owner] = await sql<TokenOwner[]>`
    select 'platform' as kind, id from platform.tokens where secret_hash = ${secretHash}
    union all
    select 'retailer' as kind, id from platform.retailers where token_hash = ${secretHash}`;
  return owner;
}

/**
 * Replaces the retailer's token. After the commit, no request with the old one is accepted.
 * @param tokenHash SHA-256 of the secret; the secret itself never comes here
 * @returns the retailer's name; undefined if there is no such retailer
 */
export async function replaceRetailerToken(
  sql: Sql,
  { id, tokenHash }: { readonly id: string; readonly tokenHash: Uint8Array },
): Promise<string | undefined> {
  const [retailer] = await sql<{ name: string }[]>`
    update platform.retailers set token_hash = ${tokenHash} where id = ${id} returning name`;
  return retailer?.name;
}
