import type { Sql } from "#postgres";
import { type CountedPage, keyset, type PageRequest, toPage } from "#postgres";
import { type FilterColumns, filterCondition, type StoreFilter } from "../filter.ts";
import { type Memberbase, memberbaseColumns } from "./memberbase.ts";

export type MemberbaseFilter = StoreFilter<"name">;

const COLUMNS: FilterColumns<"name"> = { name: { name: "name", type: "text" } };

/** Oldest first, without the deleted ones. An organisation has few, so that `total` is counted. */
export async function listMemberbases(
  sql: Sql,
  organisationId: string,
  page: PageRequest,
  filter?: MemberbaseFilter,
): Promise<CountedPage<Memberbase>> {
  // What is listed, said once: the page and the total must mean the same records.
  const there = sql`organisation_id = ${organisationId} and deleted_at is null`;
  const listed = filter === undefined ? there : sql`${there} and ${filterCondition(sql, COLUMNS, filter)}`;
  const listing = sql<Memberbase[]>`
    select ${memberbaseColumns(sql)} from memberbases where ${listed} ${keyset(sql, page)}`;
  const counted = sql<[{ total: number }]>`select count(*) as total from memberbases where ${listed}`;
  if (filter !== undefined) for (const statement of [listing, counted]) statement.unprepared();
  const [rows, [{ total }]] = await Promise.all([listing, counted]);
  return { ...toPage(rows, page.limit), total };
}
