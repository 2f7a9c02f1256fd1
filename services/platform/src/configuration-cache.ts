import { type DealRewardRule, indexRoutes, type PreparedRules, prepareRules, type RouteIndex } from "#domain";
import type { Sql } from "#postgres";
import type { Configuration } from "./configuration.ts";
import { createJudge } from "./decide-outcomes.ts";
import type { Judge } from "./halves/judge.ts";
import { readConfiguration, readConfigurationVersion } from "./read-configuration.ts";

/** A configuration made ready for many records. */
export interface PreparedConfiguration {
  readonly version: number;
  readonly routes: RouteIndex;
  readonly judge: Judge;
}

export function prepareConfiguration(configuration: Configuration): PreparedConfiguration {
  const programs = new Map<string, PreparedRules>();
  for (const { id, rules } of configuration.programs) programs.set(id, prepareRules(rules));
  const deals = new Map<string, { rules: PreparedRules; reward: DealRewardRule }>();
  for (const { id, rules, reward } of configuration.deals)
    deals.set(id, { rules: prepareRules(rules), reward });
  return {
    version: configuration.version,
    routes: indexRoutes(configuration.retailers),
    judge: createJudge({ programs, deals }),
  };
}

/** Keeps the configuration in memory; whether it still holds is asked for every batch. */
export class ConfigurationCache {
  readonly #sql: Sql;
  #prepared: PreparedConfiguration | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * The configuration as it is now: a change that was answered before this is called is in it. So the version is read
   * by every caller for itself, and no answer is shared with one who asked earlier. Two that find it changed both read
   * it; if the older one is kept, the next look finds that out.
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
