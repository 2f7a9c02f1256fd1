import type { Sql, Store } from "#postgres";
import { changeConfiguration } from "../change-configuration.ts";
import { type DealFields, dealColumns, type StoredDeal } from "./deal.ts";

export async function createDeal(store: Store | Sql, deal: DealFields): Promise<StoredDeal> {
  const created = await changeConfiguration(store, async (sql) => {
    const rows = await sql<StoredDeal[]>`
      insert into platform.deals (id, name, starts_at, ends_at, reward_config, display_content, rules)
      values (
        ${deal.id}, ${deal.name}, ${deal.startsAt}::text::timestamptz, ${deal.endsAt}::text::timestamptz,
        ${JSON.stringify(deal.rewardConfig)}::text::jsonb,
        ${JSON.stringify(deal.displayContent)}::text::jsonb, ${JSON.stringify(deal.rules)}::text::jsonb
      )
      returning ${dealColumns(sql)}`;
    return rows[0];
  });
  return created as StoredDeal;
}
