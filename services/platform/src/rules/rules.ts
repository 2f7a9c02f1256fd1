import { type Disqualification, nameUuid } from "#domain";
import type { Reward } from "#domain/rewards";
import { normaliseMerchantText } from "./route-transaction.ts";

/**
 * The rules of a program or deal: which purchases count (contract, section 8). Times are microseconds since 1970, amounts minor units.
 * Periods include their first moment and exclude their end, so that adjacent ones leave no gap and count nothing twice.
 */
export interface Rules {
  readonly merchantIds: readonly string[];
  /** A prefix, only used if several retailers share the merchant id. */
  readonly statementDescriptor: string | null;
  /** In the payment's currency; `currency` can require one. */
  readonly minAmount: number | null;
  readonly currency: string | null;
  readonly paidAfter: number | null;
  readonly paidBefore: number | null;
  /** `retailer`: a payment with an equal identifier is needed; `none`: routing alone qualifies. */
  readonly confirmation: "retailer" | "none";
  /** Null for programs, and for deals without a beginning. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  /** Whether links that are made later count. The publisher judges that, so outcomes carry it. */
  readonly retroactive: boolean;
}

/** Rules made ready by `prepareRules`, for many records. */
export interface PreparedRules {
  readonly rules: Rules;
  readonly merchantIds: ReadonlySet<string>;
  readonly prefix: string | null;
}

/** A record that was routed to a retailer. */
export interface RoutedRecord {
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  /** Whether several retailers share the merchant id, as the route says. */
  readonly shared: boolean;
  /** Microseconds since 1970. */
  readonly authedAt: number;
}

/** A payment from its retailer. */
export interface RetailerPayment {
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Microseconds since 1970. */
  readonly paidAt: number;
}

type Verdict =
  | { readonly qualifies: true }
  | { readonly qualifies: false; readonly reason: Disqualification };

const YES: Verdict = Object.freeze({ qualifies: true });

/** Call it once after each change of the rules. */
export function prepareRules(rules: Rules): PreparedRules {
  const { merchantIds, statementDescriptor } = rules;
  return {
    rules,
    merchantIds: new Set(merchantIds.map(normaliseMerchantText)),
    prefix: statementDescriptor === null ? null : normaliseMerchantText(statementDescriptor),
  };
}

/**
 * Whether a purchase counts for a program or deal.
 *
 * With confirmation `none` a payment is ignored, even if there is one: the outcome is made when the record arrives, and must not depend
 * on which half came first. So the time of the purchase is `authed_at`. The amount is unknown, so a `min_amount` above 0 is never
 * reached: no reward is given on a condition that cannot be checked (`refuseContradictions` refuses such rules). `currency` is then
 * no condition, but the currency of the rewards.
 * @param payment the paired payment; null: there is none
 */
export function qualifies(
  prepared: PreparedRules,
  record: RoutedRecord,
  payment: RetailerPayment | null,
): Verdict {
  const reason =
    merchantFault(prepared, record) ??
    (prepared.rules.confirmation === "none"
      ? unconfirmedFault(prepared.rules, record)
      : confirmedFault(prepared.rules, payment));
  return reason === undefined ? YES : { qualifies: false, reason };
}

/** Whether the rules name this merchant id, wherever it is routed. */
export function namesMerchant({ merchantIds }: PreparedRules, merchantId: string): boolean {
  return merchantIds.has(normaliseMerchantText(merchantId));
}

function merchantFault(prepared: PreparedRules, record: RoutedRecord): Disqualification | undefined {
  if (!namesMerchant(prepared, record.merchantId)) return "other_merchant";
  if (!record.shared || prepared.prefix === null) return undefined;
  const descriptor = normaliseMerchantText(record.statementDescriptor ?? "");
  return descriptor.startsWith(prepared.prefix) ? undefined : "other_descriptor";
}

function unconfirmedFault(rules: Rules, record: RoutedRecord): Disqualification | undefined {
  if (rules.minAmount !== null && rules.minAmount > 0) return "amount_unknown";
  return timeFault(rules, record.authedAt);
}

function confirmedFault(rules: Rules, payment: RetailerPayment | null): Disqualification | undefined {
  if (payment === null) return "unconfirmed";
  if (rules.currency !== null && payment.currency !== rules.currency) return "other_currency";
  if (rules.minAmount !== null && payment.amount < rules.minAmount) return "amount_too_low";
  return timeFault(rules, payment.paidAt);
}

function timeFault(rules: Rules, at: number): Disqualification | undefined {
  if (rules.paidAfter !== null && at < rules.paidAfter) return "paid_too_early";
  if (rules.paidBefore !== null && at >= rules.paidBefore) return "paid_too_late";
  if (rules.startsAt !== null && at < rules.startsAt) return "not_started";
  return rules.endsAt !== null && at >= rules.endsAt ? "ended" : undefined;
}

/**
 * The reward of a deal (contract, section 8). Amounts in minor units; `maxAmount` in the currency of the purchase.
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
 * The cashback of a deal. A percentage is used as the decimal it was written as, and its share is rounded half up to the minor unit
 * before `maxAmount` bounds it. It may be 0.
 * @param purchase null: no payment confirmed the purchase
 * @returns undefined for a percentage of an unknown amount: there is no outcome then
 * @throws RangeError for an unknown type, a percentage that is not above 0 and at most 100, or an amount that is no whole number from
 * 0 to 2^53-1; the schemas refuse all of these
 */
export function dealReward(reward: DealRewardRule, purchase: Money | null): Money | undefined {
  switch (reward.type) {
    case "fixed":
      return { amount: amountOf(reward.amount), currency: reward.currency };
    case "percent": {
      if (purchase === null) return undefined;
      const share = percentOf(amountOf(purchase.amount), reward.percent);
      const amount = reward.maxAmount === null ? share : Math.min(share, amountOf(reward.maxAmount));
      return { amount, currency: purchase.currency };
    }
    default: {
      const unknown: never = reward;
      throw new RangeError(`no such reward: ${JSON.stringify(unknown)}`);
    }
  }
}

/** A revision of a program, prepared for many records. */
export interface PreparedProgram {
  readonly rules: PreparedRules;
  readonly revision: number;
  readonly threshold: number;
  /** For a full card. */
  readonly reward: Reward;
}

/** A deal prepared for many records. */
export interface PreparedDeal {
  readonly rules: PreparedRules;
  readonly reward: DealRewardRule;
}

type DealVerdict =
  | { readonly qualifies: true; readonly reward: Money }
  | { readonly qualifies: false; readonly reason: Disqualification };

/**
 * Whether a purchase counts for a deal (`qualifies`), with the cashback. A share of an unknown amount is no cashback; such deals are
 * refused when they are written, so this is only a safeguard.
 */
export function judgeDeal(
  { rules, reward }: PreparedDeal,
  record: RoutedRecord,
  payment: RetailerPayment | null,
): DealVerdict {
  const verdict = qualifies(rules, record, payment);
  if (!verdict.qualifies) return verdict;
  const given = dealReward(reward, rules.rules.confirmation === "none" ? null : payment);
  if (given === undefined) return { qualifies: false, reason: "amount_unknown" };
  // A cashback of 0 would use the clip up (contract, section 8).
  return given.amount === 0 ? { qualifies: false, reason: "no_reward" } : { qualifies: true, reward: given };
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

/** The target of an outcome: a program, for a stamp, or a deal, for a cashback. `clip`: an earlier version named outcomes of deals so. */
export type OutcomeTarget =
  | { readonly type: "program"; readonly programId: string }
  | { readonly type: "deal"; readonly dealId: string }
  | { readonly type: "clip"; readonly clipId: string };

/**
 * The id of the one outcome that a transaction can have for a program or deal (contract, section 8). However often a half is sent
 * again, the outcome has the same id and is recognised. All callers must spell ids in the same way.
 */
export function outcomeId(transactionId: string, target: OutcomeTarget): string {
  return nameUuid(`outcome:${transactionId}:${target.type}:${nameOf(target)}`);
}

function nameOf(target: OutcomeTarget): string {
  switch (target.type) {
    case "program":
      return target.programId;
    case "deal":
      return target.dealId;
    case "clip":
      return target.clipId;
  }
}
