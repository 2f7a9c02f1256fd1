import { keyset, type Page, type PageRequest, type Sql, toPage } from "#postgres";
import { programColumns, type StoredProgram } from "./program.ts";

/** Oldest first, without the deleted ones. */
export async function listPrograms(sql: Sql, page: PageRequest): Promise<Page<StoredProgram>> {
  const rows = await sql<StoredProgram[]>`
    select ${programColumns(sql)} from platform.loyalty_programs
    where deleted_at is null ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
