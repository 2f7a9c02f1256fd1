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
import { noteLateRetroactive } from "./rows/late-retroactive.ts";

const DONE: MessageResult = { kind: "done" };
/** This revision or a newer one was there already: the message came again, or late. */
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
      // The data does not fit, such as a number that no column can hold. Every other fault passes, and is tried again.
      const code = refusalOfData(error);
      if (code === undefined) throw error;
      return refuse("refused_by_database", { error: code });
    }
  };
}

/**
 * Applies it, and notes where it says for earlier purchases that links count for them: links that are there may have been told of
 * without. Which links those are is no matter of when this comes.
 */
function apply(store: Store, id: string, config: ConfigMessage): Promise<boolean> {
  const { kind, revision } = config;
  // A removal says it only where it changed: what an earlier message said that never came.
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
 * What is stored of when a program or deal was retroactive; undefined: nothing is stored of it, so no member
 * can have joined.
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
  if (record === null) return null;
  return {
    name: record.name,
    qualifyingThreshold: record.qualifying_threshold,
    rewardConfig: record.reward_config,
    displayContent: record.display_content,
    currency: record.currency,
    ...toRetroactive(record),
    createdAt: toUtcMicroseconds(record.created_at),
    updatedAt: toUtcMicroseconds(record.updated_at),
  };
}

function toDeal(record: DealConfig["record"]): DealChange["record"] {
  if (record === null) return null;
  return {
    name: record.name,
    rewardConfig: record.reward_config,
    displayContent: record.display_content,
    startsAt: normalised(record.starts_at),
    endsAt: normalised(record.ends_at),
    ...toRetroactive(record),
    createdAt: toUtcMicroseconds(record.created_at),
    updatedAt: toUtcMicroseconds(record.updated_at),
  };
}

/**
 * What is stored of when it was retroactive: a history that says one thing for all time says it in `retroactive` alone, which
 * is of the newest entry as a process of the version before writes and reads it.
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
  /** Null: it was removed. Times are `2026-01-31T09:30:00.123456Z`, as `toUtcMicroseconds` of `#domain` makes them. */
  readonly record:
    | (Fields & Partial<Retroactive> & { readonly createdAt: string; readonly updatedAt: string })
    | null;
  /** What is known of one that was removed; absent: what is stored stays. */
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
 * Makes a program what the platform says, or removes it (contract, section 8). Messages may come twice, late and in any
 * order: only a revision above the stored one changes anything. A removed program stays as an empty row with its
 * revision, because an older message after the removal would otherwise meet nothing and bring the program back.
 * @returns false if this revision or a newer one was there already
 */
export async function applyProgramConfig(
  sql: Sql,
  { id, revision, record, removal }: ProgramChange,
): Promise<boolean> {
  const said = record ?? removal;
  const rows = await sql`
    insert into loyalty_programs (
      id, revision, created_at, updated_at, removed_at, qualifying_threshold, retroactive, retroactive_history, name,
      currency, reward_config, display_content
    )
    values (
      ${id}, ${revision}, ${record?.createdAt}::text::timestamptz, ${record?.updatedAt}::text::timestamptz,
      case when ${record === null} then now() end, ${record?.qualifyingThreshold},
      ${said?.retroactive ?? false}, ${historyOf(said)}::text::jsonb, ${record?.name},
      ${record?.currency}, ${record && JSON.stringify(record.rewardConfig)}::text::jsonb,
      ${record && JSON.stringify(record.displayContent)}::text::jsonb
    )
    on conflict (id) do update set
      revision = excluded.revision, created_at = excluded.created_at, updated_at = excluded.updated_at,
      removed_at = excluded.removed_at, qualifying_threshold = excluded.qualifying_threshold, name = excluded.name,
      currency = excluded.currency, reward_config = excluded.reward_config,
      display_content = excluded.display_content,
      retroactive = case when ${said !== undefined} then excluded.retroactive else loyalty_programs.retroactive end,
      retroactive_history = case when ${said !== undefined} then excluded.retroactive_history
        else loyalty_programs.retroactive_history end
    where loyalty_programs.revision < excluded.revision
    returning 1`;
  return rows.length > 0;
}

/** Makes a deal what the platform says, or removes it, as `applyProgramConfig` does with a program. */
export async function applyDealConfig(
  sql: Sql,
  { id, revision, record, removal }: DealChange,
): Promise<boolean> {
  const said = record ?? removal;
  const rows = await sql`
    insert into deals (
      id, revision, created_at, updated_at, removed_at, starts_at, ends_at, retroactive, retroactive_history, name,
      reward_config, display_content
    )
    values (
      ${id}, ${revision}, ${record?.createdAt}::text::timestamptz, ${record?.updatedAt}::text::timestamptz,
      case when ${record === null} then now() end, ${record?.startsAt}::text::timestamptz,
      ${record?.endsAt}::text::timestamptz, ${said?.retroactive ?? false},
      ${historyOf(said)}::text::jsonb, ${record?.name}, ${record && JSON.stringify(record.rewardConfig)}::text::jsonb,
      ${record && JSON.stringify(record.displayContent)}::text::jsonb
    )
    on conflict (id) do update set
      revision = excluded.revision, created_at = excluded.created_at, updated_at = excluded.updated_at,
      removed_at = excluded.removed_at, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
      name = excluded.name, reward_config = excluded.reward_config, display_content = excluded.display_content,
      retroactive = case when ${said !== undefined} then excluded.retroactive else deals.retroactive end,
      retroactive_history = case when ${said !== undefined} then excluded.retroactive_history
        else deals.retroactive_history end
    where deals.revision < excluded.revision
    returning 1`;
  return rows.length > 0;
}

function historyOf(said: Partial<Retroactive> | undefined): string | null {
  return said?.retroactiveHistory ? JSON.stringify(said.retroactiveHistory) : null;
}
