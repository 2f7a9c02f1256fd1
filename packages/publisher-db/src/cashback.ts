import type { CashbackState } from "#domain/rewards";
import type { Fragment, Sql } from "#postgres";

/**
 * The source of a cashback: a redeemed clip, or a full card. Ids that link several purchases of the member
 * are null once it is deleted.
 */
export type CashbackSource =
  | { readonly type: "clip"; readonly clipId: string | null; readonly dealId: string }
  | {
      readonly type: "redemption";
      readonly loyaltyProgramId: string;
      readonly stampCollectionId: string | null;
      readonly redemptionId: string | null;
    };

/** A cashback as part of its transaction. */
export interface TransactionCashback {
  readonly id: string;
  readonly state: CashbackState;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly source: CashbackSource;
  readonly createdAt: Date;
  readonly clearedAt: Date | null;
  readonly revertedAt: Date | null;
}

export interface Cashback extends TransactionCashback {
  readonly transactionId: string;
  /** The transaction's `external_id`. */
  readonly transactionRef: string;
}

/** A row of `cashbacks` as Postgres writes it in JSON; timestamps are texts with an offset. */
export interface CashbackJson {
  readonly id: string;
  readonly transaction_id: string;
  readonly transaction_ref: string;
  readonly state: CashbackState;
  readonly amount: number;
  readonly currency: string;
  readonly clip_id: string | null;
  readonly deal_id: string | null;
  readonly loyalty_program_id: string | null;
  readonly stamp_collection_id: string | null;
  readonly redemption_id: string | null;
  readonly created_at: string;
  readonly cleared_at: string | null;
  readonly reverted_at: string | null;
}

/** The cashbacks of a transaction `t` as a JSON array of `CashbackJson`, null if there are none. */
export function cashbacksOfTransaction(sql: Sql): Fragment {
  return sql`(
    select json_agg(c order by c.created_at, c.id) from cashbacks c
    where c.transaction_id = t.id and c.organisation_id = t.organisation_id
  )`;
}

export function toCashback(row: CashbackJson): Cashback {
  return {
    id: row.id,
    transactionId: row.transaction_id,
    transactionRef: row.transaction_ref,
    state: row.state,
    amount: row.amount,
    currency: row.currency,
    source: toSource(row),
    createdAt: new Date(row.created_at),
    clearedAt: toDate(row.cleared_at),
    revertedAt: toDate(row.reverted_at),
  };
}

/** A reward of a deleted member, without the ids that link it to the member's other purchases. */
export function unlinked(reward: TransactionCashback): TransactionCashback {
  const { source } = reward;
  return {
    ...reward,
    source:
      source.type === "clip"
        ? { ...source, clipId: null }
        : { ...source, stampCollectionId: null, redemptionId: null },
  };
}

/** A check constraint allows these two forms only. */
function toSource(row: CashbackJson): CashbackSource {
  if (row.clip_id !== null) return { type: "clip", clipId: row.clip_id, dealId: row.deal_id as string };
  return {
    type: "redemption",
    loyaltyProgramId: row.loyalty_program_id as string,
    stampCollectionId: row.stamp_collection_id as string,
    redemptionId: row.redemption_id as string,
  };
}

const toDate = (text: string | null) => (text === null ? null : new Date(text));
