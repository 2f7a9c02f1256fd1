import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { type Deal, dealColumns } from "#publisher-db";

/** By id, without the removed ones; those that are over or have not begun are listed too. */
export async function listDeals(sql: Sql, page: PageRequest): Promise<Page<Deal>> {
  const rows = await sql<Deal[]>`
    select ${dealColumns(sql)} from deals where removed_at is null ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
