import { randomBytes } from "node:crypto";
import { encodeId, type IdPrefix } from "#domain/typeid";
import type { CashbackSource, TransactionEvent, WebhookEvent } from "../generated/publisher-api.ts";

/** An id of the service's form, such as `m_…` for `m`; no record has it. */
export function recordId(prefix: IdPrefix): string {
  return encodeId(prefix, externalId());
}

/** A time-sortable id (UUIDv7), as `external_id` should be. */
export function externalId(at: Date = new Date()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** An authorization of 12.50 EUR just now, of a new member unless `member_id` is given. */
export function transactionEvent(fields: Partial<TransactionEvent> = {}): TransactionEvent {
  return {
    member_id: recordId("m"),
    external_id: externalId(),
    auth_code: "A1B2C3",
    network: "visa",
    bin: "45717360",
    merchant_id: "M-1001",
    statement_descriptor: "COFFEE CORNER",
    amount: 1250,
    currency: "EUR",
    authed_at: new Date().toISOString(),
    ...fields,
  };
}

/** The same transaction, cleared just now; `fields` may change what a clearing may, such as `amount`. */
export function clearing(event: TransactionEvent, fields: Partial<TransactionEvent> = {}): TransactionEvent {
  return { ...event, cleared_at: new Date().toISOString(), ...fields };
}

/** The same transaction, reverted just now. */
export function reversal(event: TransactionEvent, fields: Partial<TransactionEvent> = {}): TransactionEvent {
  return { ...event, reverted_at: new Date().toISOString(), ...fields };
}

/** A type of event that a webhook is sent. */
export type WebhookEventType = WebhookEvent["type"];
export type WebhookEventOf<T extends WebhookEventType> = Extract<WebhookEvent, { type: T }>;

/** An event as a webhook gets it, complete and with new ids; `fields` replace some of its fields. */
export function webhookEvent<T extends WebhookEventType>(
  type: T,
  fields: Partial<WebhookEventOf<T>> = {},
): WebhookEventOf<T> {
  const now = new Date().toISOString();
  const event = { event_id: recordId("evt"), type, timestamp: now, ...FIELDS[type](now) };
  return { ...event, ...fields } as WebhookEventOf<T>;
}

const transaction = () => ({
  member_id: recordId("m"),
  member_ref: "customer-1",
  transaction_id: recordId("tx"),
  transaction_ref: externalId(),
});

const source = (): CashbackSource => ({
  type: "loyalty-program-redemption",
  loyalty_program_id: recordId("lp"),
  stamp_collection_id: recordId("sc"),
  redemption_id: recordId("red"),
});

const cashback = () => ({
  ...transaction(),
  cashback_id: recordId("cb"),
  amount: 500,
  currency: "EUR",
  source: source(),
});

const stamp = () => ({
  ...transaction(),
  qualifying_purchase_id: recordId("qp"),
  loyalty_program_id: recordId("lp"),
  stamp_collection_id: recordId("sc"),
  unredeemed_purchases: 1,
});

/** The fields of each type of event, beside those that all types have. */
const FIELDS: {
  readonly [T in WebhookEventType]: (
    now: string,
  ) => Omit<WebhookEventOf<T>, "event_id" | "type" | "timestamp">;
} = {
  "cashback.created": cashback,
  "cashback.cleared": cashback,
  "cashback.reverted": cashback,
  "qualifying_purchase.created": (now) => ({ ...stamp(), created_at: now }),
  "qualifying_purchase.voided": (now) => ({ ...stamp(), voided_at: now }),
  "qualifying_purchase.unredeemed": stamp,
  "transaction.rejected": () => ({
    ...transaction(),
    code: "conflict" as const,
    reason: "invalid_transition",
    batch_id: recordId("batch"),
  }),
  "webhook.test": () => ({ member_id: null, member_ref: null }),
};
