import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, Id, named, Pagination } from "./fields.ts";
import { Transaction } from "./transaction.ts";
import { Reward } from "./wallet.ts";

/**
 * `live`: counts, and no redemption has taken it. A voided one still names the redemption that had taken it.
 */
export const STAMP_STATES = ["live", "redeemed", "voided"] as const;

/** `purchase_amount` and `currency` are present if the retailer reported them. */
export const Stamp = named(
  "Stamp",
  "A purchase that counts. The counter is the number of `live` stamps; a voided stamp still names the " +
    "redemption that had taken it.",
).Object({
  id: Type.String(),
  stamp_collection_id: Type.String(),
  state: Type.Enum(STAMP_STATES),
  transaction_id: Type.String(),
  transaction_ref: Type.String(),
  purchase_amount: Type.Optional(Type.Integer({ minimum: 0 })),
  currency: Type.Optional(Type.String()),
  redemption_id: Type.Optional(Type.String()),
  created_at: Type.String(),
  voided_at: Type.Optional(Type.String()),
});

export const QualifyingPurchase = named(
  "QualifyingPurchase",
  "A stamp with its transaction, which is absent when retention has removed it.",
).Object({ ...Stamp.properties, transaction: Type.Optional(Transaction) });

export const QualifyingPurchaseList = closed({
  stamp_collection_id: Id,
  pagination: Type.Optional(Pagination),
});

export const Redemption = named(
  "Redemption",
  "A full card. If it was undone, `stamps` are the stamps that it had taken, and its cashback is reverted.",
).Object({
  id: Type.String(),
  loyalty_program_id: Type.String(),
  stamp_collection_id: Type.String(),
  state: Type.Enum(["standing", "undone"]),
  transaction_id: Type.String(),
  transaction_ref: Type.String(),
  created_at: Type.String(),
  undone_at: Type.Optional(Type.String()),
  stamps: Type.Array(Stamp, { maxItems: LIMITS.stampsPerRedemption }),
  stamps_total: Type.Integer({ minimum: 0 }),
  cashback: Reward,
});
