import { DIFFERENCES, NOT_EARNED, ROUTING_OUTCOMES, STATES } from "#domain";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, Id, line, named, prose, Timestamp } from "./fields.ts";

/*
 * Why a purchase earned something or did not (contract, section 12). The request names a purchase that the platform has, or
 * brings the publisher's record of it, or both.
 */

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Currency = Type.String({ format: "currency" });
const most = { maxItems: LIMITS.linksExplained };

export const PurchaseExplain = closed({
  transaction_id: Type.Optional(Id),
  merchant_id: Type.Optional(line(64)),
  statement_descriptor: Type.Optional(prose(128)),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  authed_at: Type.Optional(Timestamp),
  cleared_at: Type.Optional(Timestamp),
  reverted_at: Type.Optional(Timestamp),
  enrolments: Type.Optional(
    Type.Array(closed({ stamp_collection_id: Id, loyalty_program_id: Id }), {
      ...most,
      description: "Those of the member that count for the purchase.",
    }),
  ),
  clips: Type.Optional(
    Type.Array(closed({ clip_id: Id, deal_id: Id }), {
      ...most,
      description: "Those of the member that count for the purchase.",
    }),
  ),
});

const NamedRetailer = Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) });

export const ExplainedRouting = named(
  "ExplainedRouting",
  "The retailer to which the purchase belonged when it was authorized, or why it belonged to none.",
).Object({
  outcome: Type.Enum(ROUTING_OUTCOMES),
  text: Type.String({ description: "The same in words." }),
  retailers: Type.Array(NamedRetailer, {
    description: "The one that it belongs to; of an ambiguous purchase those that it may belong to.",
  }),
  shared: Type.Optional(
    Type.Boolean({
      description: "Whether several retailers have its merchant id, and the descriptor decided.",
    }),
  ),
  kept_for: Type.Optional(NamedRetailer),
});

const verdict = {
  name: Type.Optional(Type.String()),
  verdict: Type.Enum(["earned", "waiting", "not_earned"]),
  reason: Type.Optional(Type.Enum(NOT_EARNED)),
  waits_for: Type.Optional(Type.Enum(["payment"])),
  until: Type.Optional(
    Type.String({ format: "date-time", description: "What comes later is not looked at any more." }),
  ),
  text: Type.String({ description: "The same in words." }),
  outcome_id: Type.Optional(Type.String()),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Type.String()),
};

/** Without the id of a card or clip where a program or deal is judged as such. */
export const ExplainedVerdict = named(
  "ExplainedVerdict",
  "The result for one enrolment or clip. `waiting` has `waits_for` and `until`, `not_earned` a `reason`; " +
    "`amount` and `currency` are the retailer's for a stamp, and the cashback's for a deal.",
).Union([
  Type.Object({
    type: Type.Literal("enrolment"),
    stamp_collection_id: Type.Optional(Type.String()),
    loyalty_program_id: Type.String(),
    ...verdict,
  }),
  Type.Object({
    type: Type.Literal("clip"),
    clip_id: Type.Optional(Type.String()),
    deal_id: Type.String(),
    ...verdict,
  }),
]);

/** The platform's view, which has no amounts, or the record in the request. */
export const ExplainedPurchase = named(
  "ExplainedPurchase",
  "The purchase as the platform stored it, or else as the request describes it.",
).Object({
  transaction_id: Type.Optional(Type.String()),
  state: Type.Enum([...STATES]),
  merchant_id: Type.String(),
  statement_descriptor: Type.Optional(Type.String()),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Type.String()),
  authed_at: Type.String(),
});

/** `data` of the 404 for a purchase that is not kept: the fields with which it can still be explained. */
export const NotKept = Type.Object({ ask_with: Type.Optional(Type.Array(Type.String())) });

const NearMiss = Type.Object({
  payment_id: Type.String(),
  amount: Amount,
  currency: Type.String(),
  paid_at: Type.String(),
  differs_in: Type.Enum(DIFFERENCES),
  text: Type.String({ description: "The same in words." }),
});

export const PurchaseExplained = named(
  "PurchaseExplained",
  "What a purchase earns by the rules that were in force when it was authorized, and why.",
).Object({
  kept: Type.Boolean({ description: "Whether the platform has the purchase, or has it still." }),
  purchase: ExplainedPurchase,
  routing: ExplainedRouting,
  payment: Type.Optional(
    Type.Object(
      {
        payment_id: Type.String(),
        amount: Amount,
        currency: Type.String(),
        paid_at: Type.String(),
      },
      { description: "The retailer's payment that it was paired with." },
    ),
  ),
  near_misses: Type.Array(NearMiss, {
    description:
      "Of a purchase without a payment, open payments of its retailer that differ from one of it in one thing alone, the nearest in time first.",
  }),
  verdicts: Type.Array(ExplainedVerdict),
  others: Type.Integer({
    minimum: 0,
    description:
      "Programs and deals that name other merchants, where a purchase is not kept and no enrolments and clips were sent.",
  }),
});
