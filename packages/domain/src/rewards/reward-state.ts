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
  /** As the outcome or the program said when it was made (`rewardSaid`). */
  readonly currency: string | null;
  /** Null in a stamp from before this was kept: what the stored program gives. */
  readonly reward: Reward | null;
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

/** A standing redemption. The stamps that it holds name it. */
export interface Redemption {
  readonly id: string;
  /** That of the newest of its stamps. */
  readonly transactionId: string;
  /** Whether that transaction was not known to have cleared when it was looked at last. One that is not stands. */
  readonly isPending: boolean;
  /** Null while amount or currency is unknown, and where the amount is 0. */
  readonly cashback: Cashback | null;
}

export type Reward = { readonly type: "refund" } | { readonly type: "fixed-reward"; readonly amount: number };

/** A program as it is in force. */
export interface Program {
  /** At least 1. */
  readonly threshold: number;
  readonly reward: Reward;
  /** Its `rules.currency`. */
  readonly currency: string | null;
}

/**
 * One member's stamps of one program. To be loaded for the transactions at hand, in the order of their
 * positions: every unredeemed stamp; every pending redemption one of whose transactions has settled, with all stamps that it holds; any stamp of the transactions at hand, and the redemptions that
 * hold these. The rest may be left out: nothing happens to a pending redemption before a transaction of it
 * settles. So may unredeemed stamps whose transaction is not reverted, where no redemption is pending, and
 * the counter stays below the threshold with all new stamps: then no rule looks at them.
 *
 * Of the transactions of these stamps, those loaded as settled must be all that settled up to some moment:
 * none that is loaded as authorized has a lower `settledOrder` than one that is not.
 */
export interface StampCollection {
  readonly kind: "collection";
  readonly id: string;
  readonly loyaltyProgramId: string;
  /** As stored now; null once the platform has removed it. It decides where outcomes do not say their rules. */
  readonly program: Program | null;
  readonly stamps: readonly Stamp[];
  readonly redemptions: readonly Redemption[];
  readonly unredeemedPurchases: number;
  /** Above the position of every stamp that there ever was, voided ones included. */
  readonly nextPosition: number;
  /**
   * The threshold in force for the newest stamp that was ever made. Null: no stamp, or none since this is kept.
   * Judged by it at any moment, a card gets the same redemptions.
   */
  readonly threshold: number | null;
  /**
   * Transactions whose stamps here are voided. Only an outcome that comes again as of a moment needs it (`RewardContext`): at any other
   * time their being reverted says the same.
   */
  readonly voided?: ReadonlySet<string>;
}

export interface Clip {
  readonly kind: "clip";
  readonly id: string;
  readonly dealId: string;
  readonly redeemed: boolean;
  /** Whether a reversal opens it again: the deal has not been saved anew. Only a settlement needs it. */
  readonly reopens?: boolean;
  /** The cashback that it was redeemed for. Only a settlement needs it. */
  readonly cashback: Cashback | null;
}

/** What the platform found out about a transaction (contract, section 8). */
export interface PurchaseOutcome {
  readonly type: "qualifying_purchase";
  readonly purchaseAmount: number | null;
  /** The payment's; without one the `rules.currency` in force, where the rules are said. */
  readonly currency: string | null;
  /** Those in force when the purchase was authorized; null: those of the stored program. */
  readonly threshold: number | null;
  readonly reward: Reward | null;
}
export interface DealOutcome {
  readonly type: "deal";
  readonly amount: number;
  readonly currency: string;
}
