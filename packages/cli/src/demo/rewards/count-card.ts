import type { PaidPurchase, PlannedCard } from "./reward-plan.ts";

/** What a card and its clip have come to: what the model says, or what was read. */
export interface CardCount {
  /** Live stamps that no redemption holds. */
  readonly unredeemed: number;
  /** Redemptions that stand. */
  readonly redemptions: number;
  readonly pending: number;
  readonly cleared: number;
  readonly reverted: number;
  readonly clipsRedeemed: number;
}

/**
 * The demo's own count of a card, by arithmetic alone: no stamp is made and none is put in line. That it is right in
 * whichever order things happen is what the kinds of cards are chosen for (see `Ending`).
 * @param beforeReversals as it is before the reversals that are sent last
 */
export function countCard(
  { retailer, ending, purchases, clipped }: PlannedCard,
  beforeReversals: boolean,
): CardCount {
  const { threshold } = retailer.program;
  const isUndone = ending === "reverted_late" && !beforeReversals;
  const standing = ending === "reverted_late" && beforeReversals ? purchases : purchases.filter(isKept);
  const redemptions = Math.floor(standing.length / threshold);
  const undone = isUndone ? Math.floor(purchases.length / threshold) - redemptions : 0;
  const clipsRedeemed = clipped
    ? purchases.filter(({ payment }) => payment.amount >= retailer.deal.minAmount).length
    : 0;
  const clipReverted = isUndone ? clipsRedeemed : 0;
  const waiting = redemptions + clipsRedeemed - clipReverted;
  return {
    unredeemed: standing.length % threshold,
    redemptions,
    pending: ending === "cleared" ? 0 : waiting,
    cleared: ending === "cleared" ? waiting : 0,
    reverted: undone + clipReverted,
    clipsRedeemed,
  };
}

/** What a cashback for this purchase has to be: of the card's program, or of its deal. */
export function worthOf(card: PlannedCard, source: "program" | "deal", { payment }: PaidPurchase): number {
  const { program, deal } = card.retailer;
  if (source === "program") return program.reward.type === "refund" ? payment.amount : program.reward.amount;
  if (deal.reward.type === "fixed") return deal.reward.amount;
  // Percentages of the demo are whole, so half a minor unit is 50 hundredths of one.
  const share = Math.floor((payment.amount * deal.reward.percent + 50) / 100);
  return Math.min(share, deal.reward.max_amount ?? share);
}

const isKept = ({ reverted }: PaidPurchase): boolean => !reverted;
