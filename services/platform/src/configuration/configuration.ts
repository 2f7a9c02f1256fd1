import type { PlatformDeal } from "#contract/platform";
import {
  type DealRewardRule,
  indexRoutes,
  type PreparedPrograms,
  prepareRules,
  type RetailerRoutes,
  type Rules,
} from "#domain/platform";
import { assertPlatformSchema } from "#platform-db";
import type { Sql, Store } from "#postgres";
import { createJudge } from "../halves/judge.ts";
import { type Period, type StoredRules, toRules } from "./rules.ts";

/** Everything that matching needs to know, as of one moment. Ids are UUIDs. */
interface Configuration {
  /** Grows with every change of a retailer, program or deal. */
  readonly version: number;
  readonly retailers: readonly RetailerRoutes[];
  /** Programs and deals that are not deleted. */
  readonly programs: ReadonlyArray<{ readonly id: string; readonly rules: Rules }>;
  readonly deals: ReadonlyArray<{
    readonly id: string;
    readonly rules: Rules;
    readonly reward: DealRewardRule;
  }>;
}

type PreparedConfiguration = ReturnType<typeof prepareConfiguration>;

/** Makes a configuration ready for many records. */
function prepareConfiguration({ version, retailers, programs, deals }: Configuration) {
  const prepared: PreparedPrograms = {
    programs: new Map(programs.map(({ id, rules }) => [id, prepareRules(rules)])),
    deals: new Map(deals.map(({ id, rules, reward }) => [id, { rules: prepareRules(rules), reward }])),
  };
  return { version, routes: indexRoutes(retailers), prepared, judge: createJudge(prepared) };
}

/** Keeps the configuration in memory. Every batch asks the database whether it still holds. */
export class ConfigurationCache {
  readonly #sql: Sql;
  #prepared: PreparedConfiguration | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * The configuration as it is now, with every change that was answered before this call. So each call reads the version
   * itself, and shares no answer with a call that began earlier. Two calls that find it changed both read the configuration;
   * if the older one is kept, the next call notices that.
   */
  async current(): Promise<PreparedConfiguration> {
    const version = await readConfigurationVersion(this.#sql);
    const known = this.#prepared;
    if (known?.version === version) return known;
    const prepared = prepareConfiguration(await readConfiguration(this.#sql));
    this.#prepared = prepared;
    return prepared;
  }
}

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

/** Of programs. */
export const NO_PERIOD: Period = { startsAt: null, endsAt: null };

/** Read by one statement, and so as of one moment: it is exactly what was there at its version. */
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

/** The version of the configuration: if it has changed, so has what `readConfiguration` gives. */
export async function readConfigurationVersion(sql: Sql): Promise<number> {
  const [{ version }] = await sql<[{ version: number }]>`select version from platform.configuration`;
  return version;
}

/** A deal's reward in the form in which matching needs it. */
export function toRewardRule(reward: PlatformDeal["reward_config"]): DealRewardRule {
  switch (reward.type) {
    case "fixed":
      return { type: "fixed", amount: reward.amount, currency: reward.currency };
    case "percent":
      return { type: "percent", percent: reward.percent, maxAmount: reward.max_amount ?? null };
    default: {
      const unknown: never = reward;
      throw new RangeError(`no such reward: ${JSON.stringify(unknown)}`);
    }
  }
}

/**
 * Runs one change of a retailer, program or deal, and raises the version of the whole in the same database transaction. If
 * `change` gives undefined it found nothing to change, and the version stays.
 *
 * The row of the version is locked last, and until the commit. So whoever sees a version sees every change up to it, and two
 * changes, of one record each, cannot deadlock.
 * @param store or a database transaction, which should end soon after
 */
export async function changeConfiguration<T>(
  store: Store | Sql,
  change: (sql: Sql) => Promise<T | undefined>,
): Promise<T | undefined> {
  const run = async (sql: Sql) => {
    const changed = await change(sql);
    if (changed !== undefined) await sql`update platform.configuration set version = version + 1`;
    return changed;
  };
  return "begin" in store ? store.begin(run) : run(store);
}

/** The 32 bytes that sign the platform's list cursors, once its schema is there: throws like `assertPlatformSchema`. */
export async function readPlatformCursorKey(sql: Sql): Promise<Uint8Array> {
  await assertPlatformSchema(sql);
  const [row] = await sql<{ cursorKey: Uint8Array }[]>`
    select cursor_key as "cursorKey" from platform.configuration`;
  if (row === undefined) throw new Error("the configuration row is missing: the database was not migrated");
  return row.cursorKey;
}
