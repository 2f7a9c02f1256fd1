import type { Sql } from "#postgres";
import { retailerColumns, type StoredRetailer } from "./retailer.ts";

/** undefined: there is no such retailer. */
export async function getRetailer(sql: Sql, retailerId: string): Promise<StoredRetailer | undefined> {
  const [retailer] = await sql<StoredRetailer[]>`
    select ${retailerColumns(sql)} from platform.retailers where id = ${retailerId}`;
  return retailer;
}
