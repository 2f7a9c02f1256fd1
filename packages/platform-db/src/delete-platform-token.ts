import type { Sql } from "#postgres";

/** It counts for no request after the commit: the platform asks for each. @returns false: there is no such token */
export async function deletePlatformToken(sql: Sql, tokenId: string): Promise<boolean> {
  const rows = await sql`delete from platform.tokens where id = ${tokenId} returning 1`;
  return rows.length > 0;
}
