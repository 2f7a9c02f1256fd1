import type { Sql } from "#postgres";
import { type Deal, dealColumns } from "#publisher-db";

/** undefined: there is no such deal, or the platform has removed it. One that is over is still there. */
export async function getDeal(sql: Sql, dealId: string): Promise<Deal | undefined> {
  const [deal] = await sql<Deal[]>`
    select ${dealColumns(sql)} from deals where id = ${dealId} and removed_at is null`;
  return deal;
}
