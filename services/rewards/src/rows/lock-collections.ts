import type { Transaction } from "#postgres";
import { microsecondsSince1970 } from "#publisher-db";

/** A row of `stamp_collections` as it is while it is locked. */
export interface LockedCollection {
  readonly id: string;
  readonly organisationId: string;
  readonly memberId: string;
  readonly loyaltyProgramId: string;
  readonly unredeemedPurchases: number;
  readonly nextPosition: number;
  readonly waitingThreshold: number | null;
  readonly pendingRedemptions: readonly string[];
  /** Microseconds since 1970. */
  readonly madeAt: number;
}

/**
 * Locks stamp collections until the transaction ends; those that are gone are left out. In id order, as everybody who
 * locks several (`deleteMembers` too): batches that share collections wait for each other and do not deadlock. What
 * another batch wrote to the rows while this one waited is in the result; what belongs to them is to be read afterwards,
 * by another statement.
 */
export async function lockCollections(sql: Transaction, ids: readonly string[]): Promise<LockedCollection[]> {
  if (ids.length === 0) return [];
  return sql<LockedCollection[]>`
    select id, organisation_id as "organisationId", member_id as "memberId",
           loyalty_program_id as "loyaltyProgramId", unredeemed_purchases as "unredeemedPurchases",
           next_position as "nextPosition", waiting_threshold as "waitingThreshold",
           pending_redemptions as "pendingRedemptions", ${microsecondsSince1970(sql, "created_at")} as "madeAt"
    from stamp_collections where id = any(${ids}::uuid[])
    order by id
    for no key update`;
}
