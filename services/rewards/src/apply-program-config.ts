import type { Sql } from "#postgres";
import type { DisplayContent, ProgramReward } from "#publisher-db";

export interface ProgramChange {
  readonly id: string;
  /** Grows with every change of this program. */
  readonly revision: number;
  /** Null: it was removed. */
  readonly record: {
    readonly name: string;
    readonly qualifyingThreshold: number;
    readonly rewardConfig: ProgramReward;
    readonly displayContent: DisplayContent;
    /** Whether its links count for purchases of before they were made; absent: no. */
    readonly retroactive?: boolean | undefined;
    readonly currency?: string | undefined;
    /** `2026-01-31T09:30:00.123456Z`, as `toUtcMicroseconds` of `#domain` makes it; so is `updatedAt`. */
    readonly createdAt: string;
    readonly updatedAt: string;
  } | null;
}

/**
 * Makes a program what the platform says, or removes it (contract, section 8). Messages may come twice, late and in any
 * order: only a revision above the stored one changes anything. A removed program stays as an empty row with its
 * revision, because an older message after the removal would otherwise meet nothing and bring the program back.
 * @returns false if this revision or a newer one was there already
 */
export async function applyProgramConfig(
  sql: Sql,
  { id, revision, record }: ProgramChange,
): Promise<boolean> {
  const rows = await sql`
    insert into loyalty_programs (
      id, revision, created_at, updated_at, removed_at, qualifying_threshold, retroactive, name, currency,
      reward_config, display_content
    )
    values (
      ${id}, ${revision}, ${record?.createdAt}::text::timestamptz, ${record?.updatedAt}::text::timestamptz,
      case when ${record === null} then now() end, ${record?.qualifyingThreshold},
      ${record?.retroactive ?? false}, ${record?.name},
      ${record?.currency}, ${record && JSON.stringify(record.rewardConfig)}::text::jsonb,
      ${record && JSON.stringify(record.displayContent)}::text::jsonb
    )
    on conflict (id) do update set
      revision = excluded.revision, created_at = excluded.created_at, updated_at = excluded.updated_at,
      removed_at = excluded.removed_at, qualifying_threshold = excluded.qualifying_threshold, name = excluded.name,
      currency = excluded.currency, reward_config = excluded.reward_config,
      display_content = excluded.display_content,
      retroactive = case when excluded.removed_at is null then excluded.retroactive else loyalty_programs.retroactive end
    where loyalty_programs.revision < excluded.revision
    returning 1`;
  return rows.length > 0;
}
