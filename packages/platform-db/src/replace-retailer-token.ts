import type { Sql } from "#postgres";

/**
 * Another token in the place of the one it has, which counts for no request after the commit.
 * @param tokenHash SHA-256 of the secret; the secret itself never comes here
 * @returns the retailer's name; undefined: there is no such retailer
 */
export async function replaceRetailerToken(
  sql: Sql,
  { id, tokenHash }: { readonly id: string; readonly tokenHash: Uint8Array },
): Promise<string | undefined> {
  const [retailer] = await sql<{ name: string }[]>`
    update platform.retailers set token_hash = ${tokenHash} where id = ${id} returning name`;
  return retailer?.name;
}
