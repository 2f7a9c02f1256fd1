import type { Static, TProperties, TSchema } from "typebox";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { CashbackSource } from "./wallet.ts";
import type { EventType } from "./webhook.ts";

/** `timestamp`: when it happened. `event_id` is the same however often the event is sent. */
const event = <T extends string, P extends TProperties>(type: T, fields: P) =>
  Type.Object({
    event_id: Type.String(),
    type: Type.Literal(type),
    timestamp: Type.String(),
    ...fields,
  });

/** `transaction_ref` is the transaction's `external_id`. */
const transaction = { transaction_id: Type.String(), transaction_ref: Type.String() };

/** `amount` is in minor units. */
const cashback = {
  ...transaction,
  cashback_id: Type.String(),
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String(),
  source: CashbackSource,
};

/** `unredeemed_purchases`: of the stamp collection, after the event. */
const qualifyingPurchase = {
  ...transaction,
  qualifying_purchase_id: Type.String(),
  loyalty_program_id: Type.String(),
  stamp_collection_id: Type.String(),
  unredeemed_purchases: Type.Integer({ minimum: 0 }),
};

export const CashbackCreated = event("cashback.created", cashback);
export const CashbackCleared = event("cashback.cleared", cashback);
export const CashbackReverted = event("cashback.reverted", cashback);

export const QualifyingPurchaseCreated = event("qualifying_purchase.created", {
  ...qualifyingPurchase,
  created_at: Type.String(),
});
export const QualifyingPurchaseVoided = event("qualifying_purchase.voided", {
  ...qualifyingPurchase,
  voided_at: Type.String(),
});
export const QualifyingPurchaseUnredeemed = event("qualifying_purchase.unredeemed", qualifyingPurchase);

/** An event of a batch that was answered 202. No `transaction_id` where nothing is stored under its ref. */
export const TransactionRejected = event("transaction.rejected", {
  ...transaction,
  transaction_id: Type.Optional(Type.String()),
  code: Type.Enum(["conflict", "not_found"]),
  reason: Type.String(),
  batch_id: Type.String(),
});

/** Sent by `webhook/test`, whatever the webhook subscribes to. */
export const WebhookTested = event("webhook.test", {});

/** Every type of event that a webhook can receive (contract, section 10). */
export const EVENTS = {
  "cashback.created": CashbackCreated,
  "cashback.cleared": CashbackCleared,
  "cashback.reverted": CashbackReverted,
  "qualifying_purchase.created": QualifyingPurchaseCreated,
  "qualifying_purchase.voided": QualifyingPurchaseVoided,
  "qualifying_purchase.unredeemed": QualifyingPurchaseUnredeemed,
  "transaction.rejected": TransactionRejected,
  "webhook.test": WebhookTested,
} as const satisfies Record<EventType | "webhook.test", TSchema>;

export const WebhookEvent = Type.Union([
  CashbackCreated,
  CashbackCleared,
  CashbackReverted,
  QualifyingPurchaseCreated,
  QualifyingPurchaseVoided,
  QualifyingPurchaseUnredeemed,
  TransactionRejected,
  WebhookTested,
]);
export type WebhookEvent = Static<typeof WebhookEvent>;

/** The body of a request to a webhook: events of one organisation, in order. */
export const EventDelivery = Type.Object({
  events: Type.Array(WebhookEvent, { minItems: 1, maxItems: LIMITS.eventsPerDelivery }),
});
export type EventDelivery = Static<typeof EventDelivery>;
