import type { Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { lockRetailers } from "./merchant-ids.ts";
import { retailerColumns, type StoredRetailer } from "./retailer.ts";

/**
 * For good, and its token with it; as it was last. What was routed to it waits until its time is over, and finds only what
 * the retailer has sent before. undefined: there is no such retailer.
 */
export async function deleteRetailer(
  store: Store,
  retailerId: string,
): Promise<(StoredRetailer & { readonly deletedAt: Date }) | undefined> {
  return changeConfiguration(store, async (sql) => {
    await lockRetailers(sql);
    const [deleted] = await sql<(StoredRetailer & { deletedAt: Date })[]>`
      delete from platform.retailers where id = ${retailerId}
      returning ${retailerColumns(sql)}, now() as "deletedAt"`;
    return deleted;
  });
}
