import type { Payment } from "#contract/platform";
import type { DemoRetailer } from "./retailers.ts";

/** A purchase that the retailer submits a payment for. */
export interface PaidPurchase {
  readonly externalId: string;
  readonly payment: Payment;
  /** It is reverted in the end. */
  readonly reverted: boolean;
}

/**
 * How the purchases of one card end. All of a card end alike, reversals aside, because the platform and the reward engine
 * work on many things at once: which stamp comes last, and lends its transaction to the redemption, is not known
 * beforehand. Where the order could tell, a card is of a kind in which it cannot:
 *
 * - `open`: every transaction stays authorized, so every redemption waits.
 * - `cleared`: every transaction clears, before its payment or after it; every redemption clears with it.
 * - `reverted_early`: one is reverted somewhere on its way, with a stamp before or never. All together they are too few
 *   for a redemption, so only the stamps of the others are left either way.
 * - `reverted_late`: the others stay authorized, and the one is reverted once everything has come to rest. Then either
 *   all stamps are in redemptions or there is none, so it is known whether the reversal undoes one.
 */
export type Ending = "open" | "cleared" | "reverted_early" | "reverted_late";

/** What one member has of one retailer: an enrolment in its program and perhaps a clip of its deal. */
export interface PlannedCard {
  readonly retailer: DemoRetailer;
  readonly ending: Ending;
  readonly purchases: readonly PaidPurchase[];
  /**
   * Only with at most one purchase, since the first one that counts redeems it; and not on its way to a reversal, which
   * may leave a reverted cashback or none.
   */
  readonly clipped: boolean;
}

export interface PlannedWallet {
  readonly memberId: string;
  readonly ref: string;
  readonly cards: readonly PlannedCard[];
}

export interface RewardPlan {
  readonly wallets: readonly PlannedWallet[];
  /** What each retailer was paid: the purchases of the cards, and some of members who are enrolled nowhere. */
  readonly payments: ReadonlyMap<DemoRetailer, readonly Payment[]>;
  /** Transactions whose reversal, and what follows it, is sent last. */
  readonly heldIds: ReadonlySet<string>;
}

/** What a card and its clip have come to: what the model says, or what was read. */
export interface CardCount {
  /** Live stamps that no redemption holds. */
  readonly unredeemed: number;
  /** Those that stand. */
  readonly redemptions: number;
  /** Cashbacks in each state. */
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
