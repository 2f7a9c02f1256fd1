import type { PlatformDeal } from "#contract";
import type { DealRewardRule, RetailerRoutes } from "#domain";
import type { Sql } from "#postgres";
import type { Configuration } from "./configuration.ts";
import { type Period, type StoredRules, toRules } from "./stored-rules.ts";

interface ConfigurationRow {
  readonly version: number;
  readonly retailers: readonly RetailerRoutes[];
  readonly programs: ReadonlyArray<{ readonly id: string; readonly rules: StoredRules }>;
  readonly deals: ReadonlyArray<
    Period & {
      readonly id: string;
      readonly rules: StoredRules;
      readonly reward: PlatformDeal["reward_config"];
    }
  >;
}

const NO_PERIOD: Period = { startsAt: null, endsAt: null };

/** In one statement, and so of one moment: what it says is exactly what was there at its version. */
export async function readConfiguration(sql: Sql): Promise<Configuration> {
  const [row] = await sql<[ConfigurationRow]>`
    select
      version,
      (
        select coalesce(json_agg(json_build_object(
          'id', id, 'merchantIds', merchant_ids, 'statementDescriptors', statement_descriptors
        ) order by id), '[]')
        from platform.retailers
      ) as retailers,
      (
        select coalesce(json_agg(json_build_object('id', id, 'rules', rules) order by id), '[]')
        from platform.loyalty_programs
        where deleted_at is null
      ) as programs,
      (
        select coalesce(json_agg(json_build_object(
          'id', id, 'rules', rules, 'reward', reward_config,
          'startsAt', (extract(epoch from starts_at) * 1000000)::bigint,
          'endsAt', (extract(epoch from ends_at) * 1000000)::bigint
        ) order by id), '[]')
        from platform.deals
        where deleted_at is null
      ) as deals
    from platform.configuration`;
  return {
    version: row.version,
    retailers: row.retailers,
    programs: row.programs.map(({ id, rules }) => ({ id, rules: toRules(rules, NO_PERIOD) })),
    deals: row.deals.map((deal) => ({
      id: deal.id,
      rules: toRules(deal.rules, deal),
      reward: toRewardRule(deal.reward),
    })),
  };
}

/** Whether `readConfiguration` would say something new. */
export async function readConfigurationVersion(sql: Sql): Promise<number> {
  const [{ version }] = await sql<[{ version: number }]>`select version from platform.configuration`;
  return version;
}

function toRewardRule(reward: PlatformDeal["reward_config"]): DealRewardRule {
  return reward.type === "fixed"
    ? { type: "fixed", amount: reward.amount, currency: reward.currency }
    : { type: "percent", percent: reward.percent, maxAmount: reward.max_amount ?? null };
}
