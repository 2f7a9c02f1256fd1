import type { SeededRandom, Transaction } from "#domain";
import type { Ending } from "./reward-plan.ts";

/** A transaction of a member at a retailer, as it is in the end. */
export interface Purchase {
  readonly externalId: string;
  readonly transaction: Transaction;
  /** It was new as an authorization, neither cleared nor reverted yet. */
  readonly authorizedFirst: boolean;
}

/** Of the cards that can end so: purchases that are reverted are few. */
const REVERTED_LATE = 0.8;

interface Choice {
  readonly ending: Ending;
  readonly picked: readonly Purchase[];
}

/** Of a member's purchases at a retailer those that are paid for; the rest has no payment and must not count. */
export function pickPurchases(
  purchases: readonly Purchase[],
  threshold: number,
  random: SeededRandom,
): Choice {
  const of = (state: Transaction["state"]) =>
    purchases.filter(({ transaction }) => transaction.state === state);
  const [open, cleared, reverted] = [of("authorized"), of("cleared"), of("reverted")];
  const revertedLate = reverted.find(({ authorizedFirst }) => authorizedFirst);
  if (revertedLate !== undefined && random.chance(REVERTED_LATE)) {
    const others = open.slice(0, besideOneReverted(open.length, threshold));
    return { ending: "reverted_late", picked: [...others, revertedLate] };
  }
  const choices: Choice[] = [{ ending: "open", picked: open }];
  if (cleared.length > 0) choices.push({ ending: "cleared", picked: cleared });
  if (reverted.length > 0) {
    const others = open.slice(0, Math.max(0, threshold - 2));
    choices.push({ ending: "reverted_early", picked: [...others, ...reverted.slice(0, 1)] });
  }
  return random.pick(choices);
}

/** As many as make full cards with one more, or, where that takes more than there are, too few for one. */
function besideOneReverted(available: number, threshold: number): number {
  const all = available + 1;
  return all < threshold ? available : all - (all % threshold) - 1;
}
