import { countCard } from "../rewards/count-card.ts";
import type { RewardPlan } from "../rewards/reward-plan.ts";

/** What webhooks are told of a run. */
export interface EventCounts {
  /**
   * Stamps made, less those voided: a purchase that is reverted on its way may have had a stamp before, which is voided,
   * or may never have one (see `Ending`).
   */
  readonly stamps: number;
  readonly unredeemed: number;
  readonly cashbacksCreated: number;
  readonly cashbacksCleared: number;
  readonly cashbacksReverted: number;
  readonly rejected: number;
}

/**
 * The demo's own count, by arithmetic alone.
 * @param plan undefined: nothing is rewarded
 * @param rejected events that were rejected and whose request was answered 202
 */
export function countEvents(plan: RewardPlan | undefined, rejected: number): EventCounts {
  const cards = (plan?.wallets ?? []).flatMap(({ cards }) =>
    cards.map((card) => {
      const { threshold } = card.retailer.program;
      return { threshold, before: countCard(card, true), end: countCard(card, false) };
    }),
  );
  const total = (count: (card: (typeof cards)[number]) => number) =>
    cards.reduce((sum, card) => sum + count(card), 0);
  return {
    stamps: total(({ threshold, end }) => end.unredeemed + end.redemptions * threshold),
    // Of a full card whose redemption is undone all but the one that is reverted count again.
    unredeemed: total(
      ({ threshold, before, end }) => (before.redemptions - end.redemptions) * (threshold - 1),
    ),
    cashbacksCreated: total(({ end }) => end.pending + end.cleared + end.reverted),
    cashbacksCleared: total(({ end }) => end.cleared),
    cashbacksReverted: total(({ end }) => end.reverted),
    rejected,
  };
}
