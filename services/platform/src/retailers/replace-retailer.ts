import type { Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { getRetailer } from "./get-retailer.ts";
import { assertMerchantIdsFree, lockRetailers } from "./merchant-ids.ts";
import { type RetailerFields, retailerColumns, type StoredRetailer } from "./retailer.ts";

/**
 * Its token stays. undefined: there is no such retailer.
 * @throws MerchantIdTakenError
 */
export async function replaceRetailer(
  store: Store,
  retailer: RetailerFields,
): Promise<StoredRetailer | undefined> {
  return changeConfiguration(store, async (sql) => {
    await lockRetailers(sql);
    if ((await getRetailer(sql, retailer.id)) === undefined) return undefined;
    await assertMerchantIdsFree(sql, retailer);
    const [replaced] = await sql<StoredRetailer[]>`
      update platform.retailers set
        name = ${retailer.name}, merchant_ids = ${retailer.merchantIds}::text[],
        statement_descriptors = ${retailer.statementDescriptors}::text[], updated_at = now()
      where id = ${retailer.id}
      returning ${retailerColumns(sql)}`;
    return replaced;
  });
}
