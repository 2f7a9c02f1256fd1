import type { Cashback, CashbackSource, CashbackState } from "#domain";
import type { Fragment, Sql } from "#postgres";

/** A cashback as the reward rules see it, with its source spread out. */
export interface LoadedCashback {
  readonly id: string;
  readonly organisationId: string;
  readonly transactionId: string;
  readonly transactionRef: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: CashbackState;
  readonly clipId: string | null;
  readonly dealId: string | null;
  readonly loyaltyProgramId: string | null;
  readonly stampCollectionId: string | null;
  readonly redemptionId: string | null;
}

/** Of `cashbacks c`. */
export function loadedCashbackColumns(sql: Sql): Fragment {
  return sql`
    c.id, c.organisation_id as "organisationId", c.transaction_id as "transactionId",
    c.transaction_ref as "transactionRef", c.amount, c.currency, c.state, c.clip_id as "clipId",
    c.deal_id as "dealId", c.loyalty_program_id as "loyaltyProgramId",
    c.stamp_collection_id as "stampCollectionId", c.redemption_id as "redemptionId"`;
}

export function toRewardCashback(row: LoadedCashback): Cashback {
  return {
    id: row.id,
    transactionId: row.transactionId,
    transactionRef: row.transactionRef,
    amount: row.amount,
    currency: row.currency,
    state: row.state,
    source: toSource(row),
  };
}

/** A check constraint holds each row to one of the two forms. */
function toSource(row: LoadedCashback): CashbackSource {
  if (row.clipId !== null) return { type: "clip", clipId: row.clipId, dealId: row.dealId as string };
  return {
    type: "loyalty-program-redemption",
    loyaltyProgramId: row.loyaltyProgramId as string,
    stampCollectionId: row.stampCollectionId as string,
    redemptionId: row.redemptionId as string,
  };
}
