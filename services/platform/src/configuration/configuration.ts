import type { PlatformDeal } from "#contract/platform";
import type { Reward } from "#domain/rewards";
import { PLATFORM_SCHEMA } from "#platform-db";
import {
  assertSchema,
  isLockTimeout,
  lockForTransaction,
  microsecondsSince1970,
  type Sql,
  type Store,
} from "#postgres";
import { createJudge, type Judge } from "../matching/judge.ts";
import type { PreparedPrograms } from "../rules/explain-purchase.ts";
import { MerchantFilter } from "../rules/merchant-filter.ts";
import { type Revision, Revisions } from "../rules/revisions.ts";
import {
  indexRoutes,
  normaliseMerchantText,
  type RetailerRevision,
  type RetailerRoutes,
  type RouteIndex,
} from "../rules/route-transaction.ts";
import {
  type DealRewardRule,
  type PreparedDeal,
  type PreparedProgram,
  prepareRules,
  type Rules,
} from "../rules/rules.ts";
import { boundRevisions } from "./bound-revisions.ts";
import { type Period, type StoredRules, toRules } from "./stored-rules.ts";

/** The configuration for matching, at one moment. Ids are UUIDs. */
interface Configuration {
  /** Grows with every change of a retailer, program or deal. */
  readonly version: number;
  /** The number of all revisions. */
  readonly count: number;
  readonly retailers: readonly RetailerRevision[];
  readonly programs: ReadonlyArray<
    Revision<{
      readonly revision: number;
      readonly threshold: number;
      readonly reward: Reward;
      readonly rules: Rules;
    }>
  >;
  readonly deals: ReadonlyArray<Revision<{ readonly rules: Rules; readonly reward: DealRewardRule }>>;
}

/** A configuration prepared for many records. */
interface PreparedConfiguration extends Pick<Configuration, "version" | "count" | "retailers"> {
  readonly programs: readonly Revision<PreparedProgram>[];
  readonly deals: readonly Revision<PreparedDeal>[];
  readonly routes: RouteIndex;
  readonly merchants: MerchantFilter;
  readonly prepared: PreparedPrograms;
  /** Normalised merchant ids that any program or deal has ever named. */
  readonly named: ReadonlySet<string>;
  readonly judge: Judge;
}

/** @param before the configuration that `read` adds to; undefined: `read` is complete */
function prepareConfiguration(read: Configuration, before?: PreparedConfiguration): PreparedConfiguration {
  const retailers = [...(before?.retailers ?? []), ...read.retailers];
  const programs = [...(before?.programs ?? []), ...read.programs.map(prepared)];
  const deals = [...(before?.deals ?? []), ...read.deals.map(prepared)];
  const rulebook: PreparedPrograms = { programs: new Revisions(programs), deals: new Revisions(deals) };
  const rules = [...read.programs, ...read.deals].flatMap(({ value }) => value?.rules.merchantIds ?? []);
  const isRouted = before !== undefined && read.retailers.length === 0;
  const routes = isRouted ? before.routes : indexRoutes(retailers);
  return {
    version: read.version,
    count: read.count,
    retailers,
    programs,
    deals,
    routes,
    merchants: isRouted ? before.merchants : new MerchantFilter(routes),
    prepared: rulebook,
    named: new Set([...(before?.named ?? []), ...rules.map(normaliseMerchantText)]),
    judge: createJudge(rulebook),
  };
}

function prepared<T extends { readonly rules: Rules }>({ id, since, value }: Revision<T>) {
  return { id, since, value: value && { ...value, rules: prepareRules(value.rules) } };
}

/** Keeps the configuration in memory. Every batch asks the database whether it is still current. */
export class ConfigurationCache {
  readonly #sql: Sql;
  #prepared: PreparedConfiguration | undefined;
  /** When the server was started that gave it. */
  #server = "";
  /** The last call waited in vain for an open change. */
  #isHeldUp = false;
  /** The one call that then looks for all others. */
  #look: Promise<SettledVersion> | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * The current configuration, with every change that was answered before this call, and every revision that began before it
   * (`readConfigurationVersion`). So each call reads the version itself, and shares no answer with an earlier call. If two calls
   * find a change, both read it; if the older result is kept, the next call notices.
   */
  async current(): Promise<PreparedConfiguration> {
    const { version, server } = await this.#version();
    // A restored or promoted server may give a version again, to another change.
    const known = server === this.#server ? this.#prepared : undefined;
    if (known?.version === version) return known;
    const now =
      (known && (await this.#readOn(known))) ?? prepareConfiguration(await readConfiguration(this.#sql));
    [this.#prepared, this.#server] = [now, server];
    return now;
  }

  /**
   * While a change stays open, one call looks, and the others fail with it: otherwise each would hold a
   * connection while it waits, and the API would have none. If that call succeeds, the others look
   * themselves.
   */
  async #version(): Promise<SettledVersion> {
    if (this.#look !== undefined) await this.#look;
    const look = readConfigurationVersion(this.#sql);
    if (this.#isHeldUp) this.#look = look;
    try {
      const version = await look;
      this.#isHeldUp = false;
      return version;
    } catch (error) {
      this.#isHeldUp = isLockTimeout(error);
      throw error;
    } finally {
      if (this.#look === look) this.#look = undefined;
    }
  }

  /** undefined: adding the new revisions is not enough, because revisions were removed. */
  async #readOn(known: PreparedConfiguration): Promise<PreparedConfiguration | undefined> {
    const news = await readConfiguration(this.#sql, known.version);
    const added = news.retailers.length + news.programs.length + news.deals.length;
    return known.count + added === news.count ? prepareConfiguration(news, known) : undefined;
  }
}

/** A row of `platform.revisions`; null settings: a deletion. */
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
      { readonly threshold: number; readonly reward: Reward; readonly rules: StoredRules }
    >
  | RevisionRow<
      "deal",
      Period & { readonly reward: PlatformDeal["reward_config"]; readonly rules: StoredRules }
    >;

/** One row for each revision, or a single row if there is none. */
type ConfigurationRow = { readonly version: number; readonly count: number } & (
  | AnyRevisionRow
  | { readonly kind: null }
);

/** The period of programs. */
export const NO_PERIOD: Period = { startsAt: null, endsAt: null };

/**
 * All revisions of retailers, programs and deals, which are few and small. One statement reads them, and so exactly those of its
 * version.
 * @param after only revisions that came with a later version
 */
export async function readConfiguration(sql: Sql, after = -1): Promise<Configuration> {
  const rows = await sql<ConfigurationRow[]>`
    select
      c.version, (select count(*) from platform.revisions) as count,
      r.kind, r.id, ${microsecondsSince1970(sql, "r.since")} as since, r.revision, r.settings
    from platform.configuration c left join platform.revisions r on r.version > ${after}
    order by r.id, r.since`;
  const [{ version, count }] = rows as [ConfigurationRow];
  const retailers: Configuration["retailers"][number][] = [];
  const programs: Configuration["programs"][number][] = [];
  const deals: Configuration["deals"][number][] = [];
  for (const row of rows) {
    if (row.kind === null) continue;
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
  return { version, count, retailers, programs, deals };
}

/**
 * The version of the configuration, which rises with each change. It waits for open changes: a revision is in
 * force from before its commit, so a reader that did not wait would judge a purchase of that moment by the
 * old revision. If a change stays open, this gives up soon, and the error names its session: the stream
 * repeats batches, and retailers get 503.
 */
export async function readConfigurationVersion(sql: Sql): Promise<SettledVersion> {
  const [settled] = await sql<[SettledVersion]>`
    select platform.settled_version() as version, pg_postmaster_start_time()::text as server`;
  return settled;
}

/** `server`: when it was started. */
type SettledVersion = Readonly<{ version: number; server: string }>;

/** A deal's reward as matching needs it. */
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
 * The longest that a change waits for a lock; then its caller gets 503. Judging waits equally long
 * (`platform.settled_version`).
 */
const LOCK_WAIT_MS = 2_000;

/**
 * Runs one change of a retailer, program or deal, and raises the version of the configuration in the same
 * database transaction. If `prepare` or `change` finds nothing to change, the version stays.
 *
 * Changes wait for each other, and judging waits for them (`readConfigurationVersion`): a change holds the
 * lock from before its revision begins until the commit. So a reader that sees a version sees every change up
 * to it. All matching waits meanwhile, so slow work, and waits for rows and tables, belong in `prepare`.
 * @param store or a database transaction, which should end soon after
 * @param change writes, without waiting for another lock
 * @param prepare runs before the lock is taken: locks and checks what `change` relies on; false: nothing to
 * change
 * @throws ApiError `conflict` for a record that was changed too often (`boundRevisions`)
 */
export async function changeConfiguration<
  T extends { readonly id: string; readonly deletedAt?: Date | null },
>(
  store: Store | Sql,
  change: (sql: Sql) => Promise<T | undefined>,
  prepare: (sql: Sql) => Promise<boolean> = async () => true,
): Promise<T | undefined> {
  const run = async (sql: Sql) => {
    await sql.script(`set local lock_timeout = ${LOCK_WAIT_MS}`);
    if (!(await prepare(sql))) return undefined;
    await lockForTransaction(sql, "platformConfiguration");
    const changed = await change(sql);
    if (changed === undefined) return undefined;
    if (!changed.deletedAt) await boundRevisions(sql, changed.id);
    await sql`update platform.configuration set version = version + 1`;
    return changed;
  };
  return "begin" in store ? store.begin(run) : run(store);
}

/**
 * The 32 bytes that sign the platform's list cursors. Throws like `assertSchema` if the schema is not
 * there yet.
 */
export async function readPlatformCursorKey(sql: Sql): Promise<Uint8Array> {
  await assertSchema(sql, PLATFORM_SCHEMA, "the platform's database");
  const [row] = await sql<{ cursorKey: Uint8Array }[]>`
    select cursor_key as "cursorKey" from platform.configuration`;
  if (row === undefined) throw new Error("the configuration row is missing: the database was not migrated");
  return row.cursorKey;
}
