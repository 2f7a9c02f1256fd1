import type { PlatformDeal } from "#contract/platform";
import {
  type DealRewardRule,
  indexRoutes,
  type PreparedPrograms,
  type ProgramRewardRule,
  prepareRules,
  type RetailerRevision,
  type RetailerRoutes,
  type Revision,
  Revisions,
  type Rules,
} from "#domain/platform";
import { assertPlatformSchema } from "#platform-db";
import type { Sql, Store } from "#postgres";
import { createJudge } from "../halves/judge.ts";
import { boundRevisions } from "./bound-revisions.ts";
import { type Period, type StoredRules, toRules } from "./rules.ts";

/** Everything that matching needs to know, as of one moment. Ids are UUIDs. */
interface Configuration {
  /** Grows with every change of a retailer, program or deal. */
  readonly version: number;
  readonly retailers: readonly RetailerRevision[];
  readonly programs: ReadonlyArray<
    Revision<{
      readonly revision: number;
      readonly threshold: number;
      readonly reward: ProgramRewardRule;
      readonly rules: Rules;
    }>
  >;
  readonly deals: ReadonlyArray<Revision<{ readonly rules: Rules; readonly reward: DealRewardRule }>>;
}

type PreparedConfiguration = ReturnType<typeof prepareConfiguration>;

/** Makes a configuration ready for many records. */
function prepareConfiguration({ version, retailers, programs, deals }: Configuration) {
  const rulebook: PreparedPrograms = {
    programs: new Revisions(programs.map(prepared)),
    deals: new Revisions(deals.map(prepared)),
  };
  return { version, routes: indexRoutes(retailers), prepared: rulebook, judge: createJudge(rulebook) };
}

function prepared<T extends { readonly rules: Rules }>({ id, since, value }: Revision<T>) {
  return { id, since, value: value && { ...value, rules: prepareRules(value.rules) } };
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

/** A row of `platform.revisions`; null settings: it was deleted. */
type RevisionRow<Kind extends string, Settings> = {
  readonly kind: Kind;
  readonly id: string;
  /** Microseconds since 1970. */
  readonly since: number;
  readonly revision: number;
  readonly settings: Settings | null;
};

type AnyRevisionRow =
  | RevisionRow<"retailer", Omit<RetailerRoutes, "id">>
  | RevisionRow<
      "program",
      { readonly threshold: number; readonly reward: ProgramRewardRule; readonly rules: StoredRules }
    >
  | RevisionRow<
      "deal",
      Period & { readonly reward: PlatformDeal["reward_config"]; readonly rules: StoredRules }
    >;

interface ConfigurationRow {
  readonly version: number;
  readonly revisions: readonly AnyRevisionRow[];
}

/** Of programs. */
export const NO_PERIOD: Period = { startsAt: null, endsAt: null };

/**
 * All revisions of retailers, programs and deals: few, small. Read by one statement, and so as of one moment: it is exactly what
 * was there at its version.
 */
export async function readConfiguration(sql: Sql): Promise<Configuration> {
  const [{ version, revisions }] = await sql<[ConfigurationRow]>`
    select
      version,
      (
        select coalesce(json_agg(json_build_object(
          'kind', kind, 'id', id, 'since', (extract(epoch from since) * 1000000)::bigint, 'revision', revision,
          'settings', settings
        ) order by id, since), '[]')
        from platform.revisions
      ) as revisions
    from platform.configuration`;
  const retailers: Configuration["retailers"][number][] = [];
  const programs: Configuration["programs"][number][] = [];
  const deals: Configuration["deals"][number][] = [];
  for (const row of revisions) {
    const { id, since } = row;
    switch (row.kind) {
      case "retailer":
        retailers.push({ id, since, value: row.settings });
        break;
      case "program": {
        const { revision, settings } = row;
        const value = settings && { ...settings, revision, rules: toRules(settings.rules, NO_PERIOD) };
        programs.push({ id, since, value });
        break;
      }
      case "deal": {
        const { settings } = row;
        const value = settings && {
          rules: toRules(settings.rules, settings),
          reward: toRewardRule(settings.reward),
        };
        deals.push({ id, since, value });
      }
    }
  }
  return { version, retailers, programs, deals };
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
 * @throws ApiError `conflict` for one that was changed too often (`boundRevisions`)
 */
export async function changeConfiguration<
  T extends { readonly id: string; readonly deletedAt?: Date | null },
>(store: Store | Sql, change: (sql: Sql) => Promise<T | undefined>): Promise<T | undefined> {
  const run = async (sql: Sql) => {
    const changed = await change(sql);
    if (changed === undefined) return undefined;
    if (!changed.deletedAt) await boundRevisions(sql, changed.id);
    await sql`update platform.configuration set version = version + 1`;
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
