import type { TProperties } from "typebox";
import { NETWORKS } from "#domain";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, named } from "./fields.ts";
import { STAMP_STATES } from "./stamp.ts";
import { ExternalId, Transaction } from "./transaction.ts";
import { Reward, RewardSource } from "./wallet.ts";
import { Webhook } from "./webhook.ts";
import { WebhookDelivery } from "./webhook-delivery.ts";

/* The steps of one purchase (contract, section 12), and what it still waits for. */

export const TransactionTraceRequest = closed({ external_id: ExternalId });

/** The identifiers are card metadata, and mean nothing to people. */
const { identifiers: _, ...shown } = Transaction.properties;
export const TracedTransaction = named(
  "TracedTransaction",
  "A card transaction as it is stored, without its identifiers.",
).Object(shown);

const step = <K extends string, P extends TProperties>(kind: K, fields: P) =>
  Type.Object({ at: Type.String({ description: "When it happened." }), kind: Type.Literal(kind), ...fields });

const Amount = Type.Integer({ minimum: 0 });
const money = { amount: Type.Optional(Amount), currency: Type.Optional(Type.String()) };
const transaction = { transaction_id: Type.String() };
const card = {
  stamp_collection_id: Type.String(),
  loyalty_program_id: Type.String(),
  program_name: Type.Optional(Type.String()),
};
const stamp = {
  qualifying_purchase_id: Type.String(),
  ...card,
  number: Type.Integer({ minimum: 1, description: "Of all the stamps that the card ever had, which it is." }),
  unredeemed_purchases: Type.Optional(
    Type.Integer({ minimum: 0, description: "Right after this step; kept for 30 days." }),
  ),
  qualifying_threshold: Type.Optional(
    Type.Integer({ minimum: 1, description: "As it is today; not there once the program is removed." }),
  ),
};
const redemption = {
  redemption_id: Type.String(),
  ...card,
  stamps_total: Type.Integer({ minimum: 1 }),
  transaction_ref: Type.String({ description: "Of its newest stamp, whose purchase has the cashback." }),
  cashback_id: Type.String(),
  amount: Amount,
  currency: Type.String(),
};
const cashback = {
  cashback_id: Type.String(),
  amount: Amount,
  currency: Type.String(),
  source: RewardSource,
};
const { status, error_class, next_attempt_at, state: deliveryState, attempts } = WebhookDelivery.properties;

/** The kinds in the order of steps at the same moment. */
export const TraceStep = named(
  "TraceStep",
  "One step. `kind` names it and determines its further fields.",
).Union([
  step("received", transaction),
  step("authorized", {
    ...transaction,
    network: Type.Enum([...NETWORKS]),
    merchant_id: Type.String(),
    statement_descriptor: Type.Optional(Type.String()),
    ...money,
  }),
  step("cleared", { ...transaction, ...money }),
  step("reverted", { ...transaction, ...money }),
  step("sent_to_platform", {
    ...transaction,
    merchant_id: Type.String(),
    statement_descriptor: Type.Optional(Type.String()),
  }),
  step("stamp", {
    ...stamp,
    state: Type.Enum(STAMP_STATES),
    purchase_amount: Type.Optional(Amount),
    currency: Type.Optional(Type.String()),
  }),
  step("stamp_voided", stamp),
  step("redemption", redemption),
  step("redemption_undone", redemption),
  step("cashback", { ...cashback, state: Reward.properties.state }),
  step("cashback_cleared", cashback),
  step("cashback_reverted", cashback),
  step("event", { event_id: Type.String(), event_type: Type.String() }),
  step("delivery", {
    delivery_id: Type.String(),
    webhook_id: Type.String(),
    webhook_url: Type.String(),
    state: deliveryState,
    attempts,
    status,
    error_class,
    next_attempt_at,
    event_ids: Type.Array(Type.String(), {
      description: "Those of its events that are about this purchase.",
    }),
  }),
]);

/** Why a purchase is not at its end. The codes are stable. */
const WAITING_CODES = [
  "platform",
  "no_links",
  "match",
  "clearing",
  "stamps",
  "amount",
  "webhook",
  "webhook_paused",
  "webhook_disabled",
] as const;

/** The other fields depend on the code: a card, or a webhook. */
export const TraceWaiting = named(
  "TraceWaiting",
  "What a transaction waits for: `platform` its record may not have been sent yet; `no_links` its member has " +
    "no enrolment or clip for which it counts; `match` the platform has not matched it (ask the platform " +
    "why); `clearing` it is neither cleared nor reverted; `stamps` its card is not full; `amount` its full " +
    "card waits for an amount or a currency; `webhook`, `webhook_paused` and `webhook_disabled` an event of " +
    "it is not delivered.",
).Object({
  code: Type.Enum(WAITING_CODES),
  text: Type.String({ description: "The same in words." }),
  stamp_collection_id: Type.Optional(Type.String()),
  loyalty_program_id: Type.Optional(Type.String()),
  program_name: Type.Optional(Type.String()),
  missing: Type.Optional(Type.Integer({ minimum: 1, description: "How many stamps more it takes." })),
  qualifying_threshold: Type.Optional(Type.Integer({ minimum: 1 })),
  cashback_ids: Type.Optional(
    Type.Array(Type.String(), { description: "Cashbacks that are settled with it." }),
  ),
  webhook_id: Type.Optional(Type.String()),
  webhook_url: Type.Optional(Type.String()),
  events: Type.Optional(Type.Integer({ minimum: 1, description: "How many events of this purchase wait." })),
  failing_since: Webhook.properties.failing_since,
  next_attempt_at,
});

const link = {
  name: Type.Optional(Type.String()),
  made_at: Type.String({ description: "When the member was enrolled, or saved the deal." }),
  counts: Type.Boolean({ description: "Whether it counts for this purchase." }),
  reason: Type.Optional(Type.Enum(["made_too_late"])),
  text: Type.String({ description: "The same in words." }),
};

export const TraceLink = named(
  "TraceLink",
  "An enrolment or an open clip of the member. One that was made more than 60 s after the purchase counts " +
    "only where the program or deal is retroactive.",
).Union([
  Type.Object({
    type: Type.Literal("enrolment"),
    stamp_collection_id: Type.String(),
    loyalty_program_id: Type.String(),
    ...link,
  }),
  Type.Object({ type: Type.Literal("clip"), clip_id: Type.String(), deal_id: Type.String(), ...link }),
]);

export const TraceIgnored = named(
  "TraceIgnored",
  "An event of a known transaction whose `fields` differed from the stored values and were ignored.",
).Object({
  at: Type.String({ description: "When it was applied." }),
  fields: Type.Array(Type.String(), { minItems: 1 }),
  batch_id: Type.Optional(
    Type.String({ description: "Of its request; not there if it was put back from the dead letters." }),
  ),
  index: Type.Optional(Type.Integer({ minimum: 0, description: "Its place in that request." })),
});

export const TransactionTrace = named(
  "TransactionTrace",
  "Every step of one transaction, and what it waits for.",
).Object({
  transaction: TracedTransaction,
  steps: Type.Array(TraceStep, { description: "By their times." }),
  waiting: Type.Array(TraceWaiting, {
    description: "What it waits for, or why nothing comes of it; empty where nothing more is to come.",
  }),
  links: Type.Array(TraceLink, {
    description: "The member's enrolments and open clips, as they are now: up to 1,000.",
  }),
  ignored: Type.Optional(
    Type.Array(TraceIgnored, {
      minItems: 1,
      maxItems: LIMITS.ignoredEvents,
      description:
        "Events of which something was not taken, the newest first: of the last 7 days, and of the organisation's last 10,000 such events.",
    }),
  ),
});
