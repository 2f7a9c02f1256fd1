import type { PlatformDeal } from "#contract";
import type { Fragment, Sql } from "#postgres";
import { utc } from "#postgres";
import type { StoredRules } from "../stored-rules.ts";

export interface StoredDeal {
  readonly id: string;
  readonly name: string;
  readonly rewardConfig: PlatformDeal["reward_config"];
  readonly displayContent: PlatformDeal["display_content"];
  readonly rules: StoredRules;
  /** `2026-01-31T09:30:00.123456Z`, as `toUtcMicroseconds` of `#domain` makes it: publishers get it exactly. */
  readonly startsAt: string | null;
  /** Likewise; the first moment at which it is over. */
  readonly endsAt: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  /** Grows with every change of this deal, its deletion too. */
  readonly revision: number;
}

/** What a caller says of a deal. */
export type DealFields = Pick<
  StoredDeal,
  "id" | "name" | "rewardConfig" | "displayContent" | "rules" | "startsAt" | "endsAt"
>;

export function dealColumns(sql: Sql): Fragment {
  return sql`
    id, name, reward_config as "rewardConfig", display_content as "displayContent", rules,
    ${utc(sql, "starts_at")} as "startsAt", ${utc(sql, "ends_at")} as "endsAt", created_at as "createdAt",
    updated_at as "updatedAt", deleted_at as "deletedAt", revision`;
}
