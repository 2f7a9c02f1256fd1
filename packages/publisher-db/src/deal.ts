import type { Fragment, Sql } from "#postgres";
import type { DisplayContent } from "./program.ts";

/** A share of the purchase, at most `max_amount`, or a fixed amount; amounts in minor units. */
export type DealReward =
  | { readonly type: "percent"; readonly percent: number; readonly max_amount?: number }
  | { readonly type: "fixed"; readonly amount: number; readonly currency: string };

/** A deal as the platform last configured it. It belongs to no organisation: all of them offer it. */
export interface Deal {
  readonly id: string;
  readonly name: string;
  readonly rewardConfig: DealReward;
  readonly displayContent: DisplayContent;
  readonly startsAt: Date | null;
  /** The first moment at which it is over; null if it has no end. */
  readonly endsAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function dealColumns(sql: Sql): Fragment {
  return sql`
    id, name, reward_config as "rewardConfig", display_content as "displayContent", starts_at as "startsAt",
    ends_at as "endsAt", created_at as "createdAt", updated_at as "updatedAt"`;
}
