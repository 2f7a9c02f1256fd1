import type { TransactionState } from "../lifecycle.ts";

/*
 * The types of the reward rules (contract, section 9). All ids are UUIDs and all times normalised UTC texts,
 * given by the caller. A stamp is a qualifying purchase; it is live until it is voided. A redemption stands
 * until it is undone.
 */

/** What the rules need to know of a transaction. Amounts are in minor units of the currency. */
export interface RewardTransaction {
  readonly id: string;
  /** The `external_id`, which events repeat. */
  readonly ref: string;
  readonly state: TransactionState;
  /**
   * Its place among all transactions that reached their final state. Null while it is authorized, and also if
   * it was final when it was first stored: then it counts as the first.
   */
  readonly settledOrder: number | null;
  readonly amount: number | null;
  readonly currency: string | null;
}

/** A live stamp. */
export interface Stamp {
  readonly id: string;
  /** As stored now, which may be ahead of the settlements that were applied here. */
  readonly transaction: RewardTransaction;
  readonly createdAt: string;
  /**
   * Its place in the collection. The oldest stamp is the one with the lowest position; times may be equal.
   */
  readonly position: number;
  /** As the outcome said. */
  readonly purchaseAmount: number | null;
  readonly currency: string | null;
  /** The standing redemption that holds it. */
  readonly redemptionId: string | null;
}

export type CashbackSource =
  | { readonly type: "clip"; readonly clipId: string; readonly dealId: string }
  | {
      readonly type: "loyalty-program-redemption";
      readonly loyaltyProgramId: string;
      readonly stampCollectionId: string;
      readonly redemptionId: string;
    };

/** pending: waits for its transaction to settle; the other two are final. */
export type CashbackState = "pending" | "cleared" | "reverted";

export interface Cashback {
  readonly id: string;
  readonly transactionId: string;
  readonly transactionRef: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: CashbackState;
  readonly source: CashbackSource;
}

/** A standing redemption: its cashback is pending or cleared. The stamps that it holds name it. */
export interface Redemption {
  readonly id: string;
  readonly cashback: Cashback;
}

/** A program as it is in force. */
export interface Program {
  /** At least 1. */
  readonly threshold: number;
  readonly reward: { readonly type: "refund" } | { readonly type: "fixed-reward"; readonly amount: number };
  /** Its `rules.currency`. */
  readonly currency: string | null;
}

/**
 * One member's stamps of one program. To be loaded for the transactions at hand, in the order of their
 * positions: every unredeemed stamp; every redemption whose cashback is pending and one of whose transactions
 * has settled, with all stamps that it holds; any stamp of the transactions at hand, and the redemptions that
 * hold these. The rest may be left out: nothing happens to a pending redemption before a transaction of it
 * settles. So may unredeemed stamps whose transaction is not reverted, where no redemption is pending, nothing
 * waits, and the counter stays below the threshold with all new stamps: then no rule looks at them.
 *
 * Of the transactions of these stamps, those loaded as settled must be all that settled up to some moment:
 * none that is loaded as authorized has a lower `settledOrder` than one that is not.
 */
export interface StampCollection {
  readonly kind: "collection";
  readonly id: string;
  readonly loyaltyProgramId: string;
  /** Null once the platform has removed it: stamps are still made and voided, nothing is redeemed. */
  readonly program: Program | null;
  readonly stamps: readonly Stamp[];
  readonly redemptions: readonly Redemption[];
  readonly unredeemedPurchases: number;
  /** Above the position of every stamp that there ever was, voided ones included. */
  readonly nextPosition: number;
  /**
   * The threshold that the counter reached while an amount or a currency was unknown; null if nothing waits.
   * It is kept because a lowered threshold applies only at the next stamp: an amount that becomes known must
   * not make it apply.
   */
  readonly waitingThreshold: number | null;
}

export interface Clip {
  readonly kind: "clip";
  readonly id: string;
  readonly dealId: string;
  /** Redeemed for good: a reverted transaction takes the cashback back but does not open the clip again. */
  readonly redeemed: boolean;
  /** The cashback that it was redeemed for. Only a settlement needs it. */
  readonly cashback: Cashback | null;
}

/** What the platform found out about a transaction (contract, section 8). */
export interface PurchaseOutcome {
  readonly type: "qualifying_purchase";
  readonly purchaseAmount: number | null;
  readonly currency: string | null;
}
export interface DealOutcome {
  readonly type: "deal";
  readonly amount: number;
  readonly currency: string;
}
