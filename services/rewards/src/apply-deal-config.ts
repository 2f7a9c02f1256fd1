import type { Sql } from "#postgres";
import type { DealReward, DisplayContent } from "#publisher-db";

export interface DealChange {
  readonly id: string;
  /** Grows with every change of this deal. */
  readonly revision: number;
  /** Null: it was removed. */
  readonly record: {
    readonly name: string;
    readonly rewardConfig: DealReward;
    readonly displayContent: DisplayContent;
    /** Whether its links count for purchases of before they were made; absent: no. */
    readonly retroactive?: boolean | undefined;
    /** `2026-01-31T09:30:00.123456Z`, as `toUtcMicroseconds` of `#domain` makes it; so are the other three. */
    readonly startsAt?: string | undefined;
    readonly endsAt?: string | undefined;
    readonly createdAt: string;
    readonly updatedAt: string;
  } | null;
}

/**
 * Makes a deal what the platform says, or removes it (contract, section 8). Messages may come twice, late and in any
 * order: only a revision above the stored one changes anything. A removed deal stays as an empty row with its revision,
 * because an older message after the removal would otherwise meet nothing and bring the deal back.
 * @returns false if this revision or a newer one was there already
 */
export async function applyDealConfig(sql: Sql, { id, revision, record }: DealChange): Promise<boolean> {
  const rows = await sql`
    insert into deals (
      id, revision, created_at, updated_at, removed_at, starts_at, ends_at, retroactive, name, reward_config,
      display_content
    )
    values (
      ${id}, ${revision}, ${record?.createdAt}::text::timestamptz, ${record?.updatedAt}::text::timestamptz,
      case when ${record === null} then now() end, ${record?.startsAt}::text::timestamptz,
      ${record?.endsAt}::text::timestamptz, ${record?.retroactive ?? false}, ${record?.name},
      ${record && JSON.stringify(record.rewardConfig)}::text::jsonb,
      ${record && JSON.stringify(record.displayContent)}::text::jsonb
    )
    on conflict (id) do update set
      revision = excluded.revision, created_at = excluded.created_at, updated_at = excluded.updated_at,
      removed_at = excluded.removed_at, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
      name = excluded.name, reward_config = excluded.reward_config, display_content = excluded.display_content,
      retroactive = case when excluded.removed_at is null then excluded.retroactive else deals.retroactive end
    where deals.revision < excluded.revision
    returning 1`;
  return rows.length > 0;
}
