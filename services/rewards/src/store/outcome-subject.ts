import type { DealOutcome, PurchaseOutcome } from "#domain/rewards";

/** An outcome with decoded ids. */
export interface OutcomeSubject {
  readonly transactionId: string;
  readonly target: { readonly kind: "collection" | "clip"; readonly id: string };
  readonly finding: PurchaseOutcome | DealOutcome;
  /** From the rules in force for the purchase, as the outcome says; undefined: the stored rules decide. */
  readonly retroactive?: boolean | undefined;
  /** The moment as of which it is decided, as in `RewardContext`. */
  readonly moment?: number | undefined;
}
