import type { Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { dealColumns, type StoredDeal } from "./deal.ts";

/** For good; as it was last. undefined: there is no such deal, or it was deleted before. */
export async function deleteDeal(store: Store, dealId: string): Promise<StoredDeal | undefined> {
  return changeConfiguration(store, async (sql) => {
    const [deleted] = await sql<StoredDeal[]>`
      update platform.deals set deleted_at = now(), revision = revision + 1
      where id = ${dealId} and deleted_at is null
      returning ${dealColumns(sql)}`;
    return deleted;
  });
}
