import type { Fragment, Sql } from "#postgres";

/** What a full card gives: the purchase back, or a fixed amount in minor units. */
export type ProgramReward =
  | { readonly type: "refund" }
  | { readonly type: "fixed-reward"; readonly amount: number };

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

/** A loyalty program as the platform last configured it. All organisations offer it, it belongs to none. */
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
