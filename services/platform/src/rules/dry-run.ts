import type { Disqualification } from "#domain";
import { isRouted, type RouteIndex } from "./route-transaction.ts";
import {
  type DealRewardRule,
  judgeDeal,
  type Money,
  type PreparedRules,
  qualifies,
  type RetailerPayment,
  type RoutedRecord,
} from "./rules.ts";

/** A draft of a program or deal. */
export interface DraftOffer {
  readonly rules: PreparedRules;
  /** The reward of a deal; undefined for a program, which gives a stamp for each purchase. */
  readonly reward: DealRewardRule | undefined;
}

/** A purchase that the platform knows, to try a draft on. */
export interface TriedPurchase extends RoutedRecord {
  readonly transactionId: string;
  readonly isReverted: boolean;
  /** Whether its record had an enrolment or clip of the program or deal that the draft would replace. */
  readonly isLinked: boolean;
  /** The retailer's payment, if it has come. */
  readonly payment: RetailerPayment | null;
}

/** `reverted`: it earns nothing by any rules. */
type TrialResult = "earned" | "reverted" | Disqualification;

interface Trial {
  readonly purchase: TriedPurchase;
  readonly result: TrialResult;
  /** The cashback that a deal would give. */
  readonly reward: Money | undefined;
}

/** The result of a draft. */
export interface DryRun {
  readonly earned: number;
  /** The number of linked ones among those that earned. */
  readonly linked: number;
  /** Why the other purchases did not count, the most frequent reason first. */
  readonly reasons: readonly {
    readonly reason: Exclude<TrialResult, "earned">;
    readonly purchases: number;
  }[];
  /** The cashback that the deal would have given, by currency; empty for a program. */
  readonly rewards: readonly (Money & { readonly purchases: number })[];
  /** Purchases that earned, then purchases with a merchant id of the draft that did not. */
  readonly examples: readonly Trial[];
  /** Merchant ids of the draft that no retailer has: no purchase there can count. */
  readonly unroutedMerchantIds: readonly string[];
}

/**
 * Tries a draft on purchases, as if each member had been enrolled, or had saved the deal, before. It uses the
 * functions that decide real purchases; it takes only the pairing of records and payments from the past.
 * @param routes the current ones
 * @param exampleCount the most purchases to return as examples
 */
export function dryRun(
  offer: DraftOffer,
  purchases: Iterable<TriedPurchase>,
  routes: RouteIndex,
  exampleCount: number,
): DryRun {
  const reasons = new Map<Exclude<TrialResult, "earned">, number>();
  const rewards = new Map<string, { amount: number; purchases: number }>();
  const earners: Trial[] = [];
  const misses: Trial[] = [];
  let earned = 0;
  let linked = 0;
  for (const purchase of purchases) {
    const trial = tryOn(offer, purchase);
    if (trial.result !== "earned") {
      reasons.set(trial.result, (reasons.get(trial.result) ?? 0) + 1);
      if (trial.result !== "other_merchant" && misses.length < exampleCount) misses.push(trial);
      continue;
    }
    earned++;
    if (purchase.isLinked) linked++;
    if (earners.length < exampleCount) earners.push(trial);
    if (trial.reward !== undefined) addReward(rewards, trial.reward);
  }
  return {
    earned,
    linked,
    reasons: [...reasons]
      .map(([reason, purchases]) => ({ reason, purchases }))
      .sort((a, b) => b.purchases - a.purchases),
    rewards: [...rewards].map(([currency, sum]) => ({ currency, ...sum })),
    examples: [...earners, ...misses].slice(0, exampleCount),
    unroutedMerchantIds: offer.rules.rules.merchantIds.filter(
      (merchantId) => !isRouted(routes, merchantId, Number.POSITIVE_INFINITY),
    ),
  };
}

function tryOn({ rules, reward }: DraftOffer, purchase: TriedPurchase): Trial {
  if (purchase.isReverted) return { purchase, result: "reverted", reward: undefined };
  // As for real purchases: without confirmation a purchase is judged when its record comes, without a
  // payment.
  const payment = rules.rules.confirmation === "none" ? null : purchase.payment;
  const verdict = qualifies(rules, purchase, payment);
  if (!verdict.qualifies) return { purchase, result: verdict.reason, reward: undefined };
  if (reward === undefined) return { purchase, result: "earned", reward: undefined };
  const judged = judgeDeal({ rules, reward }, purchase, payment);
  return judged.qualifies
    ? { purchase, result: "earned", reward: judged.reward }
    : { purchase, result: judged.reason, reward: undefined };
}

/** Sums stay below 2^53 for the purchases of one dry run, unless their amounts are absurd. */
function addReward(
  sums: Map<string, { amount: number; purchases: number }>,
  { currency, amount }: Money,
): void {
  const sum = sums.get(currency) ?? { amount: 0, purchases: 0 };
  sum.amount += amount;
  sum.purchases++;
  sums.set(currency, sum);
}
