import type { ConfigMessage, DealConfig, ProgramConfig } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import {
  decodeId,
  microsecondsOf,
  type RetroactiveHistory,
  retroactiveSince,
  toUtcMicroseconds,
} from "#domain";
import { type MessageHandler, type MessageResult, parseJson } from "#nats";
import { refusalOfData, type Sql, type Store, type Transaction } from "#postgres";
import { createRetroactiveReader, type Deal, type Program, retroactiveText } from "#publisher-db";
import type { Log } from "#runtime";
import { noteLateRetroactive } from "./store/late-retroactive.ts";

const DONE: MessageResult = { kind: "done" };
/** This revision or a newer one is stored: the message came again, or late. */
const OLD_REVISION: MessageResult = { kind: "skip", reason: "old_revision" };

/**
 * Handles configuration from the platform, one message at a time: read, check, apply. Only a revision above the stored one is
 * applied, so order and repetition make no difference. A message that can never be applied becomes a dead letter; the
 * platform mends it by publishing the next revision.
 */
export function createConfigHandler({ store, log }: { store: Store; log: Log }): MessageHandler {
  return async ({ subject, sequence, data }) => {
    const refuse = (reason: string, details: object): MessageResult => {
      log.warn({ subject, sequence, reason, ...details }, "configuration refused");
      return { kind: "dead", reason };
    };
    const message = parseJson(data);
    if (message === undefined) return refuse("unreadable_message", {});
    const validate = MESSAGE_VALIDATORS.config;
    if (!validate(message)) {
      return refuse("invalid_message", { issues: (validate.errors ?? []).map(describeViolation) });
    }
    const config = message as ConfigMessage;
    const id = decodeId(config.kind === "deal" ? "deal" : "lp", config.id);
    if (id === undefined) return refuse("invalid_message", { issues: [{ path: "/id" }] });
    try {
      const applied = await apply(store, id, config);
      return applied ? DONE : OLD_REVISION;
    } catch (error) {
      // The data does not fit, such as a number that no column can hold. After any other fault the message is tried again.
      const code = refusalOfData(error);
      if (code === undefined) throw error;
      return refuse("refused_by_database", { error: code });
    }
  };
}

/**
 * Applies a message, and notes since when it makes links count for earlier purchases: existing links may have
 * been published without these purchases. The time at which the message comes does not change which links
 * those are.
 */
function apply(store: Store, id: string, config: ConfigMessage): Promise<boolean> {
  const { kind, revision } = config;
  // A removal names the history only if it changed: an earlier message may never have come.
  const removal = config.retroactive_history && toRetroactive(config);
  return store.begin(async (sql) => {
    const before = await lockRetroactive(sql, kind, id);
    const applied =
      config.kind === "deal"
        ? await applyDealConfig(sql, { id, revision, record: toDeal(config.record), removal })
        : await applyProgramConfig(sql, { id, revision, record: toProgram(config.record), removal });
    if (!applied || before === undefined) return applied;
    const after = await lockRetroactive(sql, kind, id);
    const since = after && retroactiveSince(before, after);
    if (since !== undefined) await noteLateRetroactive(sql, { kind, id }, since);
    return true;
  });
}

/**
 * When a program or deal was retroactive, from its row; undefined: it has no row, so no member can have
 * joined.
 */
async function lockRetroactive(
  sql: Transaction,
  kind: ConfigMessage["kind"],
  id: string,
): Promise<RetroactiveHistory | undefined> {
  const table = kind === "deal" ? "deals" : "loyalty_programs";
  const [row] = await sql<{ text: string }[]>`
    select ${retroactiveText(sql, table)} as text from ${sql(table)} where id = ${id} for update`;
  return row && createRetroactiveReader()(row.text);
}

function toProgram(record: ProgramConfig["record"]): ProgramChange["record"] {
  return (
    record && {
      qualifyingThreshold: record.qualifying_threshold,
      rewardConfig: record.reward_config,
      currency: record.currency,
      ...toShared(record),
    }
  );
}

function toDeal(record: DealConfig["record"]): DealChange["record"] {
  return (
    record && {
      rewardConfig: record.reward_config,
      startsAt: normalised(record.starts_at),
      endsAt: normalised(record.ends_at),
      ...toShared(record),
    }
  );
}

function toShared(record: NonNullable<(ProgramConfig | DealConfig)["record"]>) {
  return {
    name: record.name,
    displayContent: record.display_content,
    ...toRetroactive(record),
    createdAt: toUtcMicroseconds(record.created_at),
    updatedAt: toUtcMicroseconds(record.updated_at),
  };
}

/**
 * When it was retroactive, in the stored form: without a history if it never changed. `retroactive` is the
 * value of the newest entry.
 */
function toRetroactive({
  retroactive,
  retroactive_history: history = [],
}: Partial<Pick<NonNullable<ProgramConfig["record"]>, "retroactive" | "retroactive_history">>): Retroactive {
  const entries = history
    .map((entry) => ({
      since: microsecondsOf(toUtcMicroseconds(entry.since)),
      retroactive: entry.retroactive,
    }))
    .filter((entry, i, all) => entry.retroactive !== all[i - 1]?.retroactive);
  return {
    retroactive: entries.at(-1)?.retroactive ?? retroactive ?? false,
    retroactiveHistory: entries.length > 1 ? entries : null,
  };
}

function normalised(timestamp: string | undefined): string | undefined {
  return timestamp === undefined ? undefined : toUtcMicroseconds(timestamp);
}

/** A revision of a program or deal. */
interface Revised<Fields> {
  readonly id: string;
  /** Grows with every change of this program or deal. */
  readonly revision: number;
  /** Null: it was removed. Times have the form of `toUtcMicroseconds` of `#domain`. */
  readonly record:
    | (Fields & Partial<Retroactive> & { readonly createdAt: string; readonly updatedAt: string })
    | null;
  /** The history of a removed one; absent: the stored one stays. */
  readonly removal?: Retroactive | undefined;
}

interface Retroactive {
  /** Whether its enrolments or clips count for purchases made before them; absent: no. */
  readonly retroactive: boolean;
  /** Absent or null: `retroactive` holds for all time. */
  readonly retroactiveHistory: RetroactiveHistory | null;
}

export type ProgramChange = Revised<
  Pick<Program, "name" | "qualifyingThreshold" | "rewardConfig" | "displayContent"> & {
    readonly currency?: string | undefined;
  }
>;

export type DealChange = Revised<
  Pick<Deal, "name" | "rewardConfig" | "displayContent"> & {
    readonly startsAt?: string | undefined;
    readonly endsAt?: string | undefined;
  }
>;

/**
 * Stores a program as the platform sent it, or removes it (contract, section 8). Messages may come twice, late and in any order:
 * only a revision above the stored one changes anything. A removed program stays as an empty row with its revision; otherwise an
 * older message after the removal would bring the program back.
 * @returns false if this revision or a newer one is stored
 */
export async function applyProgramConfig(sql: Sql, change: ProgramChange): Promise<boolean> {
  const { record } = change;
  const { columns, values, assignments } = shared(sql, change);
  const rows = await sql`
    insert into loyalty_programs as stored (${columns}, qualifying_threshold, currency)
    values (${values}, ${record?.qualifyingThreshold}, ${record?.currency})
    on conflict (id) do update set
      ${assignments}, qualifying_threshold = excluded.qualifying_threshold, currency = excluded.currency
    where stored.revision < excluded.revision
    returning 1`;
  return rows.length > 0;
}

/** Stores or removes a deal, as `applyProgramConfig` does with a program. */
export async function applyDealConfig(sql: Sql, change: DealChange): Promise<boolean> {
  const { record } = change;
  const { columns, values, assignments } = shared(sql, change);
  const rows = await sql`
    insert into deals as stored (${columns}, starts_at, ends_at)
    values (${values}, ${record?.startsAt}::text::timestamptz, ${record?.endsAt}::text::timestamptz)
    on conflict (id) do update set
      ${assignments}, starts_at = excluded.starts_at, ends_at = excluded.ends_at
    where stored.revision < excluded.revision
    returning 1`;
  return rows.length > 0;
}

/** The columns that both tables have, their values, and their assignments to a row `stored`. */
function shared(sql: Sql, { id, revision, record, removal }: ProgramChange | DealChange) {
  const said = record ?? removal;
  const history = said?.retroactiveHistory;
  return {
    columns: sql`
      id, revision, created_at, updated_at, removed_at, retroactive, retroactive_history, name, reward_config, display_content`,
    values: sql`
      ${id}, ${revision}, ${record?.createdAt}::text::timestamptz, ${record?.updatedAt}::text::timestamptz,
      case when ${record === null} then now() end, ${said?.retroactive ?? false},
      ${history && JSON.stringify(history)}::text::jsonb, ${record?.name},
      ${record && JSON.stringify(record.rewardConfig)}::text::jsonb,
      ${record && JSON.stringify(record.displayContent)}::text::jsonb`,
    assignments: sql`
      revision = excluded.revision, created_at = excluded.created_at, updated_at = excluded.updated_at,
      removed_at = excluded.removed_at, name = excluded.name, reward_config = excluded.reward_config,
      display_content = excluded.display_content,
      retroactive = case when ${said !== undefined} then excluded.retroactive else stored.retroactive end,
      retroactive_history = case when ${said !== undefined} then excluded.retroactive_history
        else stored.retroactive_history end`,
  };
}
