import type { Fragment, Sql } from "#postgres";

/** A deal that a member has saved; open until it is redeemed. */
export interface Clip {
  readonly id: string;
  readonly dealId: string;
  readonly memberId: string;
  readonly createdAt: Date;
  readonly redeemedAt: Date | null;
}

export function clipColumns(sql: Sql): Fragment {
  return sql`
    id, deal_id as "dealId", member_id as "memberId", created_at as "createdAt", redeemed_at as "redeemedAt"`;
}
