/**
 * What a deal gives (contract, section 8). Amounts in minor units; `maxAmount` in the currency of the
 * purchase.
 */
export type DealRewardRule =
  | { readonly type: "percent"; readonly percent: number; readonly maxAmount: number | null }
  | { readonly type: "fixed"; readonly amount: number; readonly currency: string };

/** An amount in minor units, at most 2^53-1. */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** A finite positive number as JavaScript writes it: the shortest decimal that reads as the same number. */
const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * The cashback of a deal. A percentage is taken as the decimal it was written as, and its share is rounded
 * half up to the minor unit before `maxAmount` bounds it. It may come to 0.
 * @param purchase null where no payment confirmed the purchase
 * @returns undefined for a percentage of a purchase whose amount is not known: there is no outcome then
 * @throws RangeError for a percentage that is not above 0 and at most 100, or an amount that is no whole
 * number from 0 to 2^53-1. The schemas let neither in.
 */
export function dealReward(reward: DealRewardRule, purchase: Money | null): Money | undefined {
  if (reward.type === "fixed") return { amount: amountOf(reward.amount), currency: reward.currency };
  if (purchase === null) return undefined;
  const share = percentOf(amountOf(purchase.amount), reward.percent);
  const amount = reward.maxAmount === null ? share : Math.min(share, amountOf(reward.maxAmount));
  return { amount, currency: purchase.currency };
}

/** In integers, because doubles do not always give the exact share: 1.005 % of 100,000 is 1,005. */
function percentOf(amount: number, percent: number): number {
  const parts = percent > 0 && percent <= 100 ? DECIMAL.exec(String(percent)) : null;
  if (parts === null) throw new RangeError("a percentage is above 0 and at most 100");
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  // Only numbers from 1e21 have a positive exponent, so `decimals` is never below 0.
  const decimals = fraction.length - Number(exponent);
  const numerator = BigInt(amount) * BigInt(whole + fraction);
  const denominator = 100n * 10n ** BigInt(decimals);
  // A share of at most 100 % is not more than the amount, so it fits again.
  return Number((2n * numerator + denominator) / (2n * denominator));
}

function amountOf(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError("an amount is whole and not negative");
  return amount;
}
