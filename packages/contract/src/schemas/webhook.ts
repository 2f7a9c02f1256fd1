import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, Id, named, prose } from "./fields.ts";

/** Types of events to subscribe to (contract, section 10). `webhook.test` is sent to every webhook. */
export const EVENT_TYPES = [
  "cashback.created",
  "cashback.cleared",
  "cashback.reverted",
  "qualifying_purchase.created",
  "qualifying_purchase.voided",
  "qualifying_purchase.unredeemed",
  "transaction.rejected",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

type FamilyOf<T extends string> = T extends `${infer Family}.${string}` ? `${Family}.*` : never;
/** A type, all types of a family, or all types, including future ones. */
export type EventPattern = EventType | FamilyOf<EventType> | "*";
export const EVENT_PATTERNS: readonly EventPattern[] = [
  "*",
  ...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, ".*") as FamilyOf<EventType>)),
  ...EVENT_TYPES,
];

/** The present types, from `all`, that match one of the patterns; in the order of `all`. */
export function eventTypesOf<T extends string>(patterns: readonly string[], all: readonly T[]): T[] {
  const wanted = new Set(patterns);
  return all.filter((type) => wanted.has("*") || wanted.has(type) || wanted.has(type.replace(/\..*/, ".*")));
}

const WEBHOOK_STATES = ["enabled", "paused", "disabled"] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

const Url = Type.String({ minLength: 1, maxLength: 2048, format: "printable" });
/** The type is named, because otherwise the validator would compare entries with a library for objects. */
const Subscribed = Type.Unsafe<EventPattern>({ type: "string", enum: EVENT_PATTERNS });
const Events = Type.Array(Subscribed, {
  minItems: 1,
  maxItems: EVENT_PATTERNS.length,
  uniqueItems: true,
});
const Description = prose(1024);
/** `whsec_` and base64 of 24 to 64 bytes. */
const Secret = Type.String({ format: "webhook-secret" });

export const WebhookCreate = closed({
  url: Url,
  events: Events,
  description: Type.Optional(Description),
  secret: Type.Optional(Secret),
});

/** Absent fields stay unchanged. `enabled` continues deliveries where they stopped. */
export const WebhookUpdate = closed({
  id: Id,
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  description: Type.Optional(Description),
  state: Type.Optional(Type.Enum(["enabled", "paused"])),
});

export const WebhookRotateSecret = closed({
  id: Id,
  /** How many seconds the previous secret also signs. At most 7 days. */
  overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800 })),
});

export const Webhook = named("Webhook", "An address that receives events, without its secrets.").Object({
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Type.String(),
  state: Type.Enum(WEBHOOK_STATES),
  created_at: Type.String(),
  updated_at: Type.String(),
  failing_since: Type.Optional(Type.String()),
  last_success_at: Type.Optional(Type.String()),
});

export const WebhookDetail = named("WebhookDetail", "A webhook, and how many events wait for it.").Object({
  ...Webhook.properties,
  pending_events: Type.Integer({ minimum: 0, maximum: LIMITS.pendingEventsCounted }),
  oldest_pending_at: Type.Optional(Type.String()),
});

export const WebhookCreated = named(
  "WebhookCreated",
  "A new webhook. `secret` signs its deliveries; only this answer has it.",
).Object({ ...Webhook.properties, secret: Type.String() });

export const WebhookSecret = named("WebhookSecret", "A new secret; only this answer has it.").Object({
  id: Type.String(),
  secret: Type.String(),
});
