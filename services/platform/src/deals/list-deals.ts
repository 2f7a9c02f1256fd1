import { keyset, type Page, type PageRequest, type Sql, toPage } from "#postgres";
import { dealColumns, type StoredDeal } from "./deal.ts";

/** Oldest first, without the deleted ones. */
export async function listDeals(sql: Sql, page: PageRequest): Promise<Page<StoredDeal>> {
  const rows = await sql<StoredDeal[]>`
    select ${dealColumns(sql)} from platform.deals
    where deleted_at is null ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
