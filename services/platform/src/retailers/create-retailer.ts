import type { Sql, Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { assertMerchantIdsFree, lockRetailers } from "./merchant-ids.ts";
import { type RetailerFields, retailerColumns, type StoredRetailer } from "./retailer.ts";

/**
 * @param tokenHash SHA-256 of the secret for the retailer's software; the secret itself never comes here
 * @throws MerchantIdTakenError
 */
export async function createRetailer(
  store: Store | Sql,
  retailer: RetailerFields & { readonly tokenHash: Uint8Array },
): Promise<StoredRetailer> {
  const created = await changeConfiguration(store, async (sql) => {
    await lockRetailers(sql);
    await assertMerchantIdsFree(sql, retailer);
    const rows = await sql<StoredRetailer[]>`
      insert into platform.retailers (id, name, merchant_ids, statement_descriptors, token_hash)
      values (
        ${retailer.id}, ${retailer.name}, ${retailer.merchantIds}::text[],
        ${retailer.statementDescriptors}::text[], ${retailer.tokenHash}
      )
      returning ${retailerColumns(sql)}`;
    return rows[0];
  });
  return created as StoredRetailer;
}
