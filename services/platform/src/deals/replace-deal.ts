import type { Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { type DealFields, dealColumns, type StoredDeal } from "./deal.ts";

/** The whole of it. undefined: there is no such deal, or it was deleted. */
export async function replaceDeal(store: Store, deal: DealFields): Promise<StoredDeal | undefined> {
  return changeConfiguration(store, async (sql) => {
    const [replaced] = await sql<StoredDeal[]>`
      update platform.deals set
        revision = revision + 1, updated_at = now(), name = ${deal.name},
        starts_at = ${deal.startsAt}::text::timestamptz, ends_at = ${deal.endsAt}::text::timestamptz,
        reward_config = ${JSON.stringify(deal.rewardConfig)}::text::jsonb,
        display_content = ${JSON.stringify(deal.displayContent)}::text::jsonb,
        rules = ${JSON.stringify(deal.rules)}::text::jsonb
      where id = ${deal.id} and deleted_at is null
      returning ${dealColumns(sql)}`;
    return replaced;
  });
}
