import { keyset, type PageRequest, type Sql } from "#postgres";
import { programColumns, type StoredProgram } from "./program.ts";

/** Programs by id as they are now, the deleted ones too, or only those that were not published like this yet. */
export async function listProgramRevisions(
  sql: Sql,
  page: PageRequest & { readonly unpublished: boolean },
): Promise<StoredProgram[]> {
  const which = page.unpublished ? sql`published_revision < revision` : sql`true`;
  const rows = await sql<StoredProgram[]>`
    select ${programColumns(sql)} from platform.loyalty_programs where ${which} ${keyset(sql, page)}`;
  return rows.slice(0, page.limit);
}
