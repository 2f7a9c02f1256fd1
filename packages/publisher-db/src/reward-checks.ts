/** The tables that are checked row by row, a thousand rows at a time, events ten thousand. */
export type Walked =
  | "stamp_collections"
  | "qualifying_purchases"
  | "redemptions"
  | "cashbacks"
  | "clips"
  | "events";

/** The rules that stored rewards always keep (contract, section 9), by the fault that breaks them. */
export const REWARD_CHECKS = {
  counter: { of: "stamp_collections", holds: "the counter is the number of unredeemed live stamps" },
  invariant: {
    of: "stamp_collections",
    holds: "live stamps are those counted and those held by standing redemptions",
  },
  position: { of: "stamp_collections", holds: "the next position is above that of every stamp" },
  pending: {
    of: "stamp_collections",
    holds: "the redemptions kept as pending are those whose cashback is",
  },
  stamp_transaction: {
    of: "qualifying_purchases",
    holds: "a stamp has its transaction, unless that is older than it is kept and all is settled",
  },
  stamp_member: { of: "qualifying_purchases", holds: "a stamp's transaction is of the collection's member" },
  stamp_voided: { of: "qualifying_purchases", holds: "a voided stamp's transaction is reverted" },
  stamp_redemption: {
    of: "qualifying_purchases",
    holds: "a stamp that names a redemption is of its collection; while it is live the redemption stands",
  },
  stamp_reverted: {
    of: "qualifying_purchases",
    holds: "a stamp whose transaction was reverted more than an hour ago is voided",
  },
  redemption_cashback: {
    of: "redemptions",
    holds: "a redemption's cashback is of its purchase and card, and reverted exactly if it is undone",
  },
  redemption_stamps: {
    of: "redemptions",
    holds: "a standing redemption holds all stamps that it took, voided ones only once it is paid",
  },
  redemption_order: {
    of: "redemptions",
    holds: "a redemption is paid only if its purchase cleared before another of its purchases was reverted",
  },
  redemption_undone: { of: "redemptions", holds: "an undone redemption has lost a stamp" },
  cashback_transaction: {
    of: "cashbacks",
    holds: "a cashback has its transaction, unless that is older than it is kept",
  },
  cashback_state: { of: "cashbacks", holds: "a settled cashback agrees with its transaction" },
  cashback_pending: {
    of: "cashbacks",
    holds: "a cashback whose transaction settled more than an hour ago is not pending",
  },
  cashback_once: { of: "cashbacks", holds: "a purchase redeems a deal once, by any clip" },
  cashback_settled: { of: "cashbacks", holds: "a refund is not above what its purchase settled for" },
  cashback_deal: {
    of: "cashbacks",
    holds: "a deal's cashback is not above what the deal gives, if that is as it was for the purchase",
  },
  cashback_redemption: {
    of: "cashbacks",
    holds: "a cashback's redemption is there unless its member is gone",
  },
  clip_cashback: { of: "clips", holds: "a clip is redeemed exactly if it has, or had, a cashback" },
  stamp_events: { of: "events", holds: "every stamp was told of once, and so was its end" },
  cashback_events: { of: "events", holds: "every cashback was told of once, and so was its end" },
} as const satisfies Record<string, { readonly of: Walked; readonly holds: string }>;

export type RewardFaultKind = keyof typeof REWARD_CHECKS;

/** A row that breaks a check. */
export interface RewardFault {
  readonly kind: RewardFaultKind;
  /** UUIDs; `id` is that of the row, or for events, that of their transaction. */
  readonly organisationId: string;
  readonly id: string;
  /** For people to read. */
  readonly detail: string;
}
