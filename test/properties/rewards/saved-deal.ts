import { cashbackLine, type RewardModel } from "./reward-model.ts";

/**
 * The purchases that redeemed a clip, one after the other, with their amounts: only the last may be pending
 * or cleared.
 */
export type SavedDeal = readonly {
  readonly ref: string;
  readonly worth: string;
  readonly state: "pending" | "cleared" | "reverted";
}[];

/**
 * Clips as section 9 of the contract has them: redeemed by one purchase at a time, open again if that one is reverted, and by no
 * purchase twice.
 */
export const SAVED_DEAL: RewardModel<SavedDeal> = {
  start: [],
  outcome(deal, view, { ref, money }) {
    const { state } = view.known(ref);
    if (!isOpen(deal) || deal.some((one) => one.ref === ref) || state === "reverted") return undefined;
    const worth = `${money.amount} ${money.currency}`;
    const number = deal.length + 1;
    const lines = [cashbackLine("created", number, ref, worth)];
    if (state === "cleared") lines.push(cashbackLine("cleared", number, ref, worth));
    return { after: [...deal, { ref, worth, state: state === "cleared" ? "cleared" : "pending" }], lines };
  },
  settlement(deal, view, ref) {
    const { state } = view.known(ref);
    const last = deal.at(-1);
    if (last?.ref !== ref || last.state !== "pending" || state === "authorized")
      return { after: deal, lines: [] };
    const lines = [cashbackLine(state, deal.length, ref, last.worth)];
    return { after: [...deal.slice(0, -1), { ...last, state }], lines };
  },
  owed(deal, view, due) {
    const buyer = due.find(({ ref }) => view.known(ref).state !== "reverted");
    if (isOpen(deal)) return buyer && `a cashback for ${buyer.ref}`;
    const last = deal.at(-1);
    const isLate = last?.state === "pending" && view.known(last.ref).state !== "authorized";
    return isLate ? `the cashback of ${last.ref} settled` : undefined;
  },
  show: (deal) =>
    [
      isOpen(deal) ? "open" : "redeemed",
      ...deal.map(({ ref, worth, state }, i) => `c${i + 1} ${ref} ${worth} ${state}`),
    ].join("; "),
};

const isOpen = (deal: SavedDeal) => deal.at(-1) === undefined || deal.at(-1)?.state === "reverted";
