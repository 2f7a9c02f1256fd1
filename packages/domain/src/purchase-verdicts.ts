/*
 * The platform's codes for what becomes of a purchase. They are stable: `purchase/explain` answers with them,
 * and metrics count by them.
 */

/** Why a purchase belongs to no retailer. */
const UNROUTED = ["unknown_merchant", "no_descriptor_matches", "ambiguous"] as const;

export const ROUTING_OUTCOMES = ["routed", ...UNROUTED] as const;
export type RoutingOutcome = (typeof ROUTING_OUTCOMES)[number];

/** Why a purchase does not count for a program or deal, and never will. */
export const DISQUALIFICATIONS = [
  "other_merchant",
  "other_descriptor",
  "amount_unknown",
  "amount_too_low",
  "other_currency",
  "paid_too_early",
  "paid_too_late",
  "not_started",
  "ended",
  "no_reward",
] as const;
/** Why it does not count now; `unconfirmed` is the only reason that may still change. */
export type Disqualification = (typeof DISQUALIFICATIONS)[number] | "unconfirmed";

/**
 * Why a link earned nothing. Reasons of routing and of rules keep their names, except `unconfirmed`: that is a wait, no_payment
 * (none came in time) or payment_not_kept. removed: there was no such program or deal at the time of authorization.
 * already_earned: another stamp collection of the same program, or another clip of the same deal, has the outcome.
 */
export const NOT_EARNED = [
  "reverted",
  ...UNROUTED,
  "removed",
  ...DISQUALIFICATIONS,
  "no_payment",
  "payment_not_kept",
  "already_earned",
] as const;
export type NotEarned = (typeof NOT_EARNED)[number];

/**
 * The only difference between a retailer's open payment and one that matches a purchase.
 *
 * - identifiers: none is the purchase's: another authorization code, network, card or merchant id.
 * - card: the first six digits are the same, and the first eight are not.
 * - paid_at: it was paid too long before or after.
 */
export const DIFFERENCES = ["identifiers", "card", "paid_at"] as const;
export type Difference = (typeof DIFFERENCES)[number];
