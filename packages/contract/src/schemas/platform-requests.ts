import type { Static, TProperties } from "typebox";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { DealReward, DisplayContent, ProgramReward } from "./configuration.ts";
import { closed, Id, line, named, Pagination, prose, Timestamp } from "./fields.ts";

/*
 * The reference platform's own API, `platform.v1` (contract, section 8): programs and deals, retailers, and
 * payments. Requests are closed; answers may grow, and use the schemas of the publisher's API if they are the
 * same.
 */

const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Currency = Type.String({ format: "currency" });
/** Compared like that of a transaction event: trimmed and without regard to case. */
const MerchantId = line(64);
const MerchantIds = Type.Array(MerchantId, { minItems: 1, maxItems: LIMITS.merchantsPerRecord });
/** The beginning of a statement descriptor, compared in the same way. */
const DescriptorPrefix = line(128);
const ruled = {
  description: "A prefix, only looked at where several retailers share the merchant id.",
};
const Text = prose(LIMITS.displayTextLength);
const Instant = Type.String({ format: "date-time" });
const Confirmation = Type.Enum(["retailer", "none"]);

/**
 * The purchases that count. Periods include `paid_after` and exclude `paid_before`. `retailer`: a payment
 * with an equal identifier confirms the purchase; `none`: routing alone does, and the platform then knows no
 * amount.
 */
export const RulesInput = named(
  "RulesInput",
  "Which purchases count. The default of `confirmation` is `retailer`.",
).closed({
  merchant_ids: MerchantIds,
  statement_descriptor: Type.Optional({ ...DescriptorPrefix, ...ruled }),
  min_amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  paid_after: Type.Optional(Timestamp),
  paid_before: Type.Optional(Timestamp),
  /** Enrolments and clips count for purchases authorized before they were made, too. Absent: no. */
  retroactive: Type.Optional(Type.Boolean()),
  confirmation: Type.Optional(Confirmation),
});
export type RulesInput = Static<typeof RulesInput>;

/** Rules in force, so always with `confirmation`. */
export const Rules = named("Rules", "Which purchases count.").Object({
  merchant_ids: Type.Array(Type.String()),
  statement_descriptor: Type.Optional(Type.String(ruled)),
  min_amount: Type.Optional(Type.Integer()),
  currency: Type.Optional(Type.String()),
  paid_after: Type.Optional(Instant),
  paid_before: Type.Optional(Instant),
  retroactive: Type.Optional(Type.Boolean()),
  confirmation: Confirmation,
});

export const DisplayContentInput = named(
  "DisplayContentInput",
  "For rendering in a user interface. `image` and `logo` are URLs.",
).closed({
  title: Text,
  image: Text,
  logo: Type.Optional(Text),
  summary: Text,
  description: Text,
  terms: Text,
  reward: Type.Optional(closed({ formatted: Text })),
});

export const ProgramRewardInput = named(
  "ProgramRewardInput",
  "What a full card gives: the purchase back, or a fixed amount.",
).byType(
  closed({ type: Type.Literal("refund") }),
  closed({ type: Type.Literal("fixed-reward"), amount: Amount }),
);

export const DealRewardInput = named(
  "DealRewardInput",
  "A share of the purchase, at most `max_amount`, or a fixed amount.",
).byType(
  closed({
    type: Type.Literal("percent"),
    percent: Type.Number({ exclusiveMinimum: 0, maximum: 100 }),
    max_amount: Type.Optional(Amount),
  }),
  closed({ type: Type.Literal("fixed"), amount: Amount, currency: Currency }),
);

/** Without an id an upsert makes a record; with an id it replaces the whole record. */
const upsert = <P extends TProperties>(fields: P) => closed({ id: Type.Optional(Id), ...fields });
const record = <P extends TProperties>(name: string, description: string, fields: P) =>
  named(name, description).Object({
    id: Type.String(),
    ...fields,
    created_at: Type.String(),
    updated_at: Type.String(),
  });

const QualifyingThreshold = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const PlatformProgramUpsert = upsert({
  name: line(256),
  qualifying_threshold: QualifyingThreshold,
  reward_config: ProgramRewardInput,
  display_content: DisplayContentInput,
  rules: RulesInput,
});
export const PlatformProgram = record("LoyaltyProgram", "A stamp card.", {
  name: Type.String(),
  qualifying_threshold: QualifyingThreshold,
  reward_config: ProgramReward,
  display_content: DisplayContent,
  rules: Rules,
});
export type PlatformProgram = Static<typeof PlatformProgram>;

export const PlatformDealUpsert = upsert({
  name: line(256),
  reward_config: DealRewardInput,
  display_content: DisplayContentInput,
  rules: RulesInput,
  starts_at: Type.Optional(Timestamp),
  ends_at: Type.Optional(Timestamp),
});
export const PlatformDeal = record("Deal", "An offer that members can save as clips.", {
  name: Type.String(),
  reward_config: DealReward,
  display_content: DisplayContent,
  rules: Rules,
  starts_at: Type.Optional(Type.String()),
  ends_at: Type.Optional(Type.String()),
});
export type PlatformDeal = Static<typeof PlatformDeal>;

/** `statement_descriptors`: prefixes, used only if another retailer has the same merchant id. */
export const RetailerUpsert = upsert({
  name: line(256),
  merchant_ids: MerchantIds,
  statement_descriptors: Type.Optional(Type.Array(DescriptorPrefix, { maxItems: LIMITS.merchantsPerRecord })),
});
export const Retailer = record(
  "Retailer",
  "A shop. Transactions with one of its merchant ids belong to it.",
  {
    name: Type.String(),
    merchant_ids: Type.Array(Type.String()),
    statement_descriptors: Type.Array(Type.String()),
  },
);
export type Retailer = Static<typeof Retailer>;
export const RetailerUpserted = named(
  "RetailerUpserted",
  "A retailer; `token` is present if the retailer is new.",
).Object({ ...Retailer.properties, token: Type.Optional(Type.String()) });

/** Without `overlap_seconds` the previous token is valid for another day; with 0 it ends immediately. */
export const RetailerRotateToken = closed({
  id: Id,
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
});
export const RetailerToken = named(
  "RetailerToken",
  "A retailer's new token, and how long the previous one stays valid.",
).Object({
  id: Type.String(),
  token: Type.String(),
  previous_until: Type.Optional(Type.String()),
});

/** The answer of a `delete`: the last state of the record. */
export const PlatformProgramDeleted = named(
  "LoyaltyProgramDeleted",
  "A removed stamp card, as it was last.",
).Object({ ...PlatformProgram.properties, deleted_at: Type.String() });
export const RetailerDeleted = Type.Object({ ...Retailer.properties, deleted_at: Type.String() });
export const PlatformDealDeleted = named("DealDeleted", "A removed offer, as it was last.").Object({
  ...PlatformDeal.properties,
  deleted_at: Type.String(),
});

/**
 * `result` and `reason` are those of `purchase/explain`: `earned`, or why not.
 * `linked`: the number of those that earned and were made by a member who has the program or deal of the
 * draft.
 */
export const DryRunResult = named(
  "DryRunResult",
  "What a program or deal would have given. Purchases at merchants that no retailer has are not kept, so they " +
    "are not counted.",
).Object({
  since: Instant,
  purchases: Type.Integer({ minimum: 0 }),
  complete: Type.Boolean(),
  earned: Type.Integer({ minimum: 0 }),
  linked: Type.Optional(Type.Integer({ minimum: 0 })),
  reasons: Type.Array(Type.Object({ reason: Type.String(), purchases: Type.Integer({ minimum: 1 }) })),
  rewards: Type.Array(
    Type.Object({
      amount: Type.Integer({ minimum: 0 }),
      currency: Type.String(),
      purchases: Type.Integer({ minimum: 1 }),
    }),
  ),
  examples: Type.Array(
    Type.Object({
      transaction_id: Type.String(),
      merchant_id: Type.String(),
      statement_descriptor: Type.Optional(Type.String()),
      authed_at: Instant,
      paid: Type.Optional(Type.Object({ amount: Type.Integer(), currency: Type.String(), paid_at: Instant })),
      result: Type.String(),
      reward: Type.Optional(Type.Object({ amount: Type.Integer(), currency: Type.String() })),
    }),
    { maxItems: LIMITS.dryRunExamples },
  ),
  unrouted_merchant_ids: Type.Array(Type.String()),
});
export type DryRunResult = Static<typeof DryRunResult>;

const BinDigits = Type.Unsafe<6 | 8>({ type: "integer", enum: [6, 8] });

/** The identifiers are hashes (contract, section 7). */
export const Payment = named("Payment", "A payment as the retailer knows it, without card data.").closed({
  /** The retailer's own id, by which payments are deduplicated: the first one with it counts. */
  payment_id: line(128),
  identifiers: Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }), { minItems: 1, maxItems: 8 }),
  bin_digits: Type.Optional(
    Type.Array(BinDigits, {
      minItems: 1,
      maxItems: 8,
      description: "Over how many digits of the card each identifier is, in their order.",
    }),
  ),
  amount: Amount,
  currency: Currency,
  paid_at: Timestamp,
});
export type Payment = Static<typeof Payment>;

export const PaymentIngest = closed({
  /** Required with the platform's token. With a retailer's token it is absent, or names that retailer. */
  retailer_id: Type.Optional(Id),
  payments: Type.Array(Payment, { minItems: 1, maxItems: LIMITS.paymentsPerRequest }),
});
export const PaymentsAccepted = named("PaymentsAccepted", "The payments are stored.").Object({
  accepted: Type.Integer({ minimum: 0 }),
});

export const PaymentGet = closed({ retailer_id: Id, payment_id: line(128) });

export const PaymentList = closed({
  retailer_id: Type.Optional(Id),
  since: Type.Optional(Type.String({ format: "timestamp", description: "Paid at this time or later." })),
  until: Type.Optional(Type.String({ format: "timestamp", description: "Paid before this time." })),
  pagination: Type.Optional(Pagination),
});

/** Open ones are kept for 30 days, paired ones for 210. */
export const StoredPayment = named(
  "StoredPayment",
  "A payment as the retailer reported it, and what it is paired with.",
).Object({
  retailer_id: Type.String(),
  payment_id: Type.String(),
  state: Type.Enum(["open", "paired"]),
  transaction_id: Type.Optional(Type.String({ description: "The transaction that it is paired with." })),
  released_from: Type.Optional(
    Type.String({ description: "The transaction that it was paired with before, until that was reverted." }),
  ),
  identifiers: Type.Array(Type.String()),
  bin_digits: Type.Optional(Type.Array(Type.Integer())),
  amount: Amount,
  currency: Type.String(),
  paid_at: Type.String(),
  received_at: Type.String(),
});
