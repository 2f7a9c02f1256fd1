import type { Static, TProperties, TSchema } from "typebox";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, named, nullable, Timestamp } from "./fields.ts";
import { ExternalId } from "./transaction.ts";
import { CashbackSource } from "./wallet.ts";
import { EVENT_PATTERNS, type EventPattern, type EventType } from "./webhook.ts";

/**
 * `timestamp`: when it happened. `event_id` is the same however often the event is sent. `member_id` and
 * `member_ref` are those of the transaction's member; both are null once the member is deleted, and if the
 * event concerns no member.
 */
const event = <T extends string, P extends TProperties>(
  name: string,
  description: string,
  type: T,
  fields: P,
) =>
  named(name, description).Object({
    event_id: Type.String(),
    type: Type.Literal(type),
    timestamp: Type.String(),
    member_id: nullable(Type.String()),
    member_ref: nullable(Type.String()),
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

export const CashbackCreated = event("CashbackCreated", "A cashback was made.", "cashback.created", cashback);
export const CashbackCleared = event(
  "CashbackCleared",
  "A cashback is final: its transaction cleared.",
  "cashback.cleared",
  cashback,
);
export const CashbackReverted = event(
  "CashbackReverted",
  "A cashback is void: its transaction was reverted.",
  "cashback.reverted",
  cashback,
);

export const QualifyingPurchaseCreated = event(
  "QualifyingPurchaseCreated",
  "A transaction became a stamp.",
  "qualifying_purchase.created",
  { ...qualifyingPurchase, created_at: Type.String() },
);
export const QualifyingPurchaseVoided = event(
  "QualifyingPurchaseVoided",
  "A stamp counts no longer: its transaction was reverted.",
  "qualifying_purchase.voided",
  { ...qualifyingPurchase, voided_at: Type.String() },
);
export const QualifyingPurchaseUnredeemed = event(
  "QualifyingPurchaseUnredeemed",
  "A stamp counts again: the redemption that held it was undone.",
  "qualifying_purchase.unredeemed",
  qualifyingPurchase,
);

/**
 * `batch_id` is the part of the answer's id before its dot. `transaction_id` is absent if nothing is stored
 * under its ref.
 */
export const TransactionRejected = event(
  "TransactionRejected",
  "An event of a batch that was answered 202 was not applied.",
  "transaction.rejected",
  {
    ...transaction,
    transaction_id: Type.Optional(Type.String()),
    code: Type.Enum(["conflict", "not_found"]),
    reason: Type.String(),
    batch_id: Type.String(),
  },
);

/** A webhook receives it whatever it subscribes to. */
export const WebhookTested = event("WebhookTested", "Sent by `webhook/test`.", "webhook.test", {});

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

type EventOf<T extends keyof typeof EVENTS> = T extends unknown ? Static<(typeof EVENTS)[T]> : never;
export const WebhookEvent = named(
  "WebhookEvent",
  "One event. Ignore types and fields that you do not know.",
).of(Type.Unsafe<EventOf<keyof typeof EVENTS>>(Type.Union(Object.values(EVENTS))));
export type WebhookEvent = Static<typeof WebhookEvent>;
/** An event before it is written, when its member is looked up. */
export type WebhookEventDraft = WithoutMember<WebhookEvent>;
type WithoutMember<E> = E extends unknown ? Omit<E, "member_id" | "member_ref"> : never;

/** The body of a request to a webhook. */
export const EventDelivery = named("EventDelivery", "Events of one organisation, in order.").Object({
  events: Type.Array(WebhookEvent, { minItems: 1, maxItems: LIMITS.eventsPerDelivery }),
});
export type EventDelivery = Static<typeof EventDelivery>;

/** Named, because otherwise the validator would compare entries with a library for objects. */
const NAMES: ReadonlyArray<EventPattern | keyof typeof EVENTS> = [...EVENT_PATTERNS, "webhook.test"];
const EventName = Type.Unsafe<EventPattern | keyof typeof EVENTS>({ type: "string", enum: NAMES });

/**
 * `after`: the cursor of the previous page; absent or null: begin with the oldest event that is kept.
 * `since`: the earliest time at which the event was written. An absent field does not narrow the list.
 */
export const EventList = closed({
  after: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
  types: Type.Optional(Type.Array(EventName, { minItems: 1, maxItems: NAMES.length, uniqueItems: true })),
  transaction_ref: Type.Optional(ExternalId),
  since: Type.Optional(Timestamp),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageLimitMax })),
});

/** Unlike in a list, `cursor` is always present: later events come after it. */
export const EventPage = named(
  "EventPage",
  "Events of one organisation, in order, each as webhooks carry it.",
).Object({
  data: Type.Array(WebhookEvent),
  page: Type.Object({
    page_size: Type.Integer(),
    cursor: Type.String({ description: "Always there: send it as `after`, now or later." }),
    more: Type.Boolean(),
  }),
});

/** The data of a 400 for a cursor that no page can follow: where to start again. */
export const CursorFault = Type.Object({
  reason: Type.Optional(Type.Enum(["cursor_expired"])),
  oldest_cursor: Type.Optional(Type.String({ description: "Send it as `after` to get all that is kept." })),
});
