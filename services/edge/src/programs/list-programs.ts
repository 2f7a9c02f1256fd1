import type { Sql } from "#postgres";
import { keyset, type Page, type PageRequest, toPage } from "#postgres";
import { type Program, programColumns } from "#publisher-db";

/** By id, without the removed ones. */
export async function listPrograms(sql: Sql, page: PageRequest): Promise<Page<Program>> {
  const rows = await sql<Program[]>`
    select ${programColumns(sql)} from loyalty_programs where removed_at is null ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
