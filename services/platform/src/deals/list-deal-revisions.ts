import { keyset, type PageRequest, type Sql } from "#postgres";
import { dealColumns, type StoredDeal } from "./deal.ts";

/** Deals by id as they are now, the deleted ones too, or only those that were not published like this yet. */
export async function listDealRevisions(
  sql: Sql,
  page: PageRequest & { readonly unpublished: boolean },
): Promise<StoredDeal[]> {
  const which = page.unpublished ? sql`published_revision < revision` : sql`true`;
  const rows = await sql<StoredDeal[]>`
    select ${dealColumns(sql)} from platform.deals where ${which} ${keyset(sql, page)}`;
  return rows.slice(0, page.limit);
}
