import type { DealReward, ProgramReward } from "#contract";
import type { Fragment, Sql } from "#postgres";

/** For rendering in a user interface; the same for programs and deals. `image` and `logo` are URLs. */
export interface DisplayContent {
  readonly title: string;
  readonly image: string;
  readonly logo?: string;
  readonly summary: string;
  readonly description: string;
  readonly terms: string;
  readonly reward?: { readonly formatted: string };
}

/**
 * A loyalty program in the platform's latest configuration. It belongs to no organisation: all of them offer
 * it.
 */
export interface Program {
  readonly id: string;
  readonly name: string;
  /** How many stamps make a full card. */
  readonly qualifyingThreshold: number;
  readonly rewardConfig: ProgramReward;
  readonly displayContent: DisplayContent;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function programColumns(sql: Sql): Fragment {
  return sql`
    id, name, qualifying_threshold as "qualifyingThreshold", reward_config as "rewardConfig",
    display_content as "displayContent", created_at as "createdAt", updated_at as "updatedAt"`;
}

/** A deal in the platform's latest configuration. It belongs to no organisation: all of them offer it. */
export interface Deal {
  readonly id: string;
  readonly name: string;
  readonly rewardConfig: DealReward;
  readonly displayContent: DisplayContent;
  readonly startsAt: Date | null;
  /** The first moment after the deal; null if it has no end. */
  readonly endsAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function dealColumns(sql: Sql): Fragment {
  return sql`
    id, name, reward_config as "rewardConfig", display_content as "displayContent", starts_at as "startsAt",
    ends_at as "endsAt", created_at as "createdAt", updated_at as "updatedAt"`;
}
