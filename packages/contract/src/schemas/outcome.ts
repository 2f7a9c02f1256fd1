import type { Static } from "typebox";
import { Type } from "../type-builder.ts";
import { ProgramReward } from "./configuration.ts";
import { byType, closed } from "./fields.ts";

/**
 * `outcome_id` is the same for one transaction and one program or deal, however often it is sent.
 * `retroactive` comes from the rules in force when the purchase was authorized, so that a publisher that
 * learns of a change late decides by the same rules; absent: the publisher's stored rules decide.
 */
const outcome = {
  outcome_id: Type.String(),
  transaction_id: Type.String(),
  retroactive: Type.Optional(Type.Boolean()),
};
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Currency = Type.String({ format: "currency" });

/**
 * The transaction counts for a program that its member is enrolled in. `purchase_amount` in minor units. The
 * last three come from the program's revision in force when the purchase was authorized; absent: the stored
 * program decides. An outcome with them also has the currency of that revision's rules as `currency` if no
 * payment has one.
 */
export const PurchaseOutcome = closed({
  ...outcome,
  type: Type.Literal("qualifying_purchase"),
  stamp_collection_id: Type.String(),
  purchase_amount: Type.Optional(Amount),
  currency: Type.Optional(Currency),
  revision: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  qualifying_threshold: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  reward_config: Type.Optional(ProgramReward),
});
export type PurchaseOutcome = Static<typeof PurchaseOutcome>;

/** The transaction redeems a clip. `amount`: of the cashback, in minor units. */
export const DealOutcome = closed({
  ...outcome,
  type: Type.Literal("deal"),
  clip_id: Type.String(),
  amount: Amount,
  currency: Currency,
});
export type DealOutcome = Static<typeof DealOutcome>;

/** The platform's decision about a transaction (contract, section 8). */
export const Outcome = byType(PurchaseOutcome, DealOutcome);
export type Outcome = Static<typeof Outcome>;

/** One stream message. Each outcome is validated separately: a wrong one does not take the others with it. */
export const OutcomeMessage = Type.Object({
  v: Type.Literal(1),
  outcomes: Type.Array(Outcome, { minItems: 1 }),
});
export type OutcomeMessage = Static<typeof OutcomeMessage>;
