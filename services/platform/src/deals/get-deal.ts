import type { Sql } from "#postgres";
import { dealColumns, type StoredDeal } from "./deal.ts";

/** undefined: there is no such deal, or it was deleted. */
export async function getDeal(sql: Sql, dealId: string): Promise<StoredDeal | undefined> {
  const [deal] = await sql<StoredDeal[]>`
    select ${dealColumns(sql)} from platform.deals
    where id = ${dealId} and deleted_at is null`;
  return deal;
}
