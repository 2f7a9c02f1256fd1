import type { DealOutcome, PurchaseOutcome } from "#domain/rewards";

export interface RewardTarget {
  readonly kind: "collection" | "clip";
  readonly id: string;
}

/** What an outcome is about. */
export interface OutcomeSubject {
  readonly transactionId: string;
  readonly target: RewardTarget;
  readonly finding: PurchaseOutcome | DealOutcome;
  /** Of the rules in force for the purchase, as the outcome said; undefined: what is stored decides. */
  readonly retroactive?: boolean | undefined;
  /** As of when it is decided, as in `RewardContext`. */
  readonly moment?: number | undefined;
}
