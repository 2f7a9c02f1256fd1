import type { Fragment, Sql } from "#postgres";

/** A member's enrolment in a loyalty program. */
export interface StampCollection {
  readonly id: string;
  readonly loyaltyProgramId: string;
  readonly createdAt: Date;
  /** Stamps that are neither voided nor redeemed. */
  readonly unredeemedPurchases: number;
}

/** Of the table `stamp_collections`, whatever else stands beside it. */
export function stampCollectionColumns(sql: Sql): Fragment {
  return sql`
    stamp_collections.id, stamp_collections.loyalty_program_id as "loyaltyProgramId",
    stamp_collections.created_at as "createdAt", stamp_collections.unredeemed_purchases as "unredeemedPurchases"`;
}
