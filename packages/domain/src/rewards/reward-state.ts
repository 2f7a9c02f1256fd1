import type { TransactionState } from "../lifecycle.ts";

/*
 * The types of the reward rules (contract, section 9). All ids are UUIDs and all times normalised UTC texts,
 * given by the caller. A stamp is a qualifying purchase; it is live until it is voided. A redemption stands
 * until it is undone.
 */

/** The fields of a transaction that the rules use. Amounts are in minor units of the currency. */
export interface RewardTransaction {
  readonly id: string;
  /** The `external_id`, which events repeat. */
  readonly ref: string;
  readonly state: TransactionState;
  /**
   * Its place in the order of settling. Null while it is authorized, and also if it was final when it was first stored: then it
   * counts as the first.
   */
  readonly settledOrder: number | null;
  readonly amount: number | null;
  readonly currency: string | null;
}

/** A live stamp. */
export interface Stamp {
  readonly id: string;
  /** In its stored state, which may be ahead of the settlements applied here. */
  readonly transaction: RewardTransaction;
  readonly createdAt: string;
  /**
   * Its place in the collection. The oldest stamp has the lowest position; times may be equal.
   */
  readonly position: number;
  /** From the outcome. */
  readonly purchaseAmount: number | null;
  /** From the outcome, or from the program when the stamp was made (`rewardSaid`). */
  readonly currency: string | null;
  /** Null: the stamp is from before this was stored, and has the reward of the stored program. */
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
  /** The transaction of its newest stamp. */
  readonly transactionId: string;
  /** Whether that transaction was not known to have cleared at the last look. One that is not pending stands for good. */
  readonly isPending: boolean;
  /** Null while amount or currency is unknown, and if the amount is 0. */
  readonly cashback: Cashback | null;
}

export type Reward = { readonly type: "refund" } | { readonly type: "fixed-reward"; readonly amount: number };

/** A program in force. */
export interface Program {
  /** At least 1. */
  readonly threshold: number;
  readonly reward: Reward;
  /** The program's `rules.currency`. */
  readonly currency: string | null;
}

/**
 * One member's stamps of one program, loaded for the transactions at hand and in the order of positions: every unredeemed stamp; every
 * pending redemption with a settled transaction, and all stamps that it holds; every stamp of the transactions at hand, and the
 * redemptions that hold these. The rest may be left out: a pending redemption does not change before one of its transactions
 * settles. If no redemption is pending and the counter stays below the threshold with all new stamps, unredeemed stamps whose
 * transaction is not reverted may be left out too: no rule looks at them.
 *
 * The transactions loaded as settled must be all that settled up to some moment: none that is loaded as authorized has a lower
 * `settledOrder` than one that is not.
 */
export interface StampCollection {
  readonly kind: "collection";
  readonly id: string;
  readonly loyaltyProgramId: string;
  /** The stored program; null once the platform has removed it. It decides for outcomes without rules. */
  readonly program: Program | null;
  readonly stamps: readonly Stamp[];
  readonly redemptions: readonly Redemption[];
  readonly unredeemedPurchases: number;
  /** Above the position of every stamp ever made, voided ones included. */
  readonly nextPosition: number;
  /**
   * The threshold in force for the newest stamp ever made; null: no stamp, or none since this field exists.
   * With it a card gets the same redemptions at any moment of judging.
   */
  readonly threshold: number | null;
  /**
   * Transactions with a voided stamp here. Only an outcome that is decided as of a moment needs it (`RewardContext`): otherwise such a
   * transaction is reverted, which says the same.
   */
  readonly voided?: ReadonlySet<string>;
}

export interface Clip {
  readonly kind: "clip";
  readonly id: string;
  readonly dealId: string;
  readonly redeemed: boolean;
  /** Whether a reversal opens it again, because the deal was not saved again. Only a settlement needs it. */
  readonly reopens?: boolean;
  /** The cashback of its redemption. Only a settlement needs it. */
  readonly cashback: Cashback | null;
}

/** The platform's decision that a transaction counts for a program (contract, section 8). */
export interface PurchaseOutcome {
  readonly type: "qualifying_purchase";
  readonly purchaseAmount: number | null;
  /** The payment's; without a payment the `rules.currency` in force, if the outcome carries its rules. */
  readonly currency: string | null;
  /** Threshold and reward in force when the purchase was authorized; null: those of the stored program. */
  readonly threshold: number | null;
  readonly reward: Reward | null;
}
export interface DealOutcome {
  readonly type: "deal";
  readonly amount: number;
  readonly currency: string;
}
