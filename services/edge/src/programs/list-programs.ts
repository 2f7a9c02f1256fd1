import type { Sql } from "../connect.ts";
import { keyset } from "../keyset.ts";
import { type Page, type PageRequest, toPage } from "../page.ts";
import { type Program, programColumns } from "./program.ts";

/** By id, without the removed ones. */
export async function listPrograms(sql: Sql, page: PageRequest): Promise<Page<Program>> {
  const rows = await sql<Program[]>`
    select ${programColumns(sql)} from loyalty_programs where removed_at is null ${keyset(sql, page)}`;
  return toPage(rows, page.limit);
}
