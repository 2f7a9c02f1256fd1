import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { type Token, tokenColumns } from "#publisher-db";

/** All of the organisation, revoked and expired ones too, oldest first. */
export async function listTokens(sql: Sql, organisationId: string, page: PageRequest): Promise<Page<Token>> {
  const rows = await sql<Token[]>`
    select ${tokenColumns(sql)}
    from api_tokens
    where organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
