import type { Sql } from "../connect.ts";
import { keyset } from "../keyset.ts";
import { type CountedPage, type PageRequest, toPage } from "../page.ts";
import { type Memberbase, memberbaseColumns } from "./memberbase.ts";

/** Oldest first, without the deleted ones. */
export async function listMemberbases(
  sql: Sql,
  organisationId: string,
  page: PageRequest,
): Promise<CountedPage<Memberbase>> {
  // What is listed, said once: the page and the total must mean the same records.
  const listed = sql`organisation_id = ${organisationId} and deleted_at is null`;
  const [rows, [{ total }]] = await Promise.all([
    sql<Memberbase[]>`
      select ${memberbaseColumns(sql)} from memberbases where ${listed} ${keyset(sql, page)}`,
    sql<[{ total: number }]>`
      select count(*) as total from memberbases where ${listed}`,
  ]);
  return { ...toPage(rows, page.limit), total };
}
