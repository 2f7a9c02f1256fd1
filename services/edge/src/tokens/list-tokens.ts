import type { Sql } from "../connect.ts";
import { keyset } from "../keyset.ts";
import { type Page, type PageRequest, toPage } from "../page.ts";
import { type Token, tokenColumns } from "./token.ts";

/** All of the organisation, revoked and expired ones too, oldest first. */
export async function listTokens(sql: Sql, organisationId: string, page: PageRequest): Promise<Page<Token>> {
  const rows = await sql<Token[]>`
    select ${tokenColumns(sql)}
    from api_tokens
    where organisation_id = ${organisationId} ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
