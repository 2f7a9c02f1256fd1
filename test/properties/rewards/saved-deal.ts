import { cashbackLine, type RewardModel } from "./reward-model.ts";

/** A clip: open, or redeemed by this purchase for this cashback. */
export type SavedDeal = {
  readonly ref: string;
  readonly worth: string;
  readonly state: "pending" | "cleared" | "reverted";
} | null;

/** Clips as section 9 of the contract has them: redeemed at most once, and what comes of it settles once. */
export const SAVED_DEAL: RewardModel<SavedDeal> = {
  start: null,
  outcome(deal, view, { ref, money }) {
    const { state } = view.known(ref);
    if (deal !== null || state === "reverted") return undefined;
    const worth = `${money.amount} ${money.currency}`;
    const lines = [cashbackLine("created", 1, ref, worth)];
    if (state === "cleared") lines.push(cashbackLine("cleared", 1, ref, worth));
    return { after: { ref, worth, state: state === "cleared" ? "cleared" : "pending" }, lines };
  },
  settlement(deal, view, ref) {
    const { state } = view.known(ref);
    if (deal?.ref !== ref || deal.state !== "pending" || state === "authorized") {
      return { after: deal, lines: [] };
    }
    return { after: { ...deal, state }, lines: [cashbackLine(state, 1, ref, deal.worth)] };
  },
  owed(deal, view, due) {
    const buyer = due.find(({ ref }) => view.known(ref).state !== "reverted");
    if (deal === null) return buyer && `a cashback for ${buyer.ref}`;
    const isLate = deal.state === "pending" && view.known(deal.ref).state !== "authorized";
    return isLate ? `the cashback of ${deal.ref} settled` : undefined;
  },
  show: (deal) => (deal === null ? "open" : `redeemed; c1 ${deal.ref} ${deal.worth} ${deal.state}`),
};
