import { keyset, type Page, type PageRequest, type Sql, toPage } from "#postgres";
import { retailerColumns, type StoredRetailer } from "./retailer.ts";

/** Oldest first. */
export async function listRetailers(sql: Sql, page: PageRequest): Promise<Page<StoredRetailer>> {
  const rows = await sql<StoredRetailer[]>`
    select ${retailerColumns(sql)} from platform.retailers where true ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
