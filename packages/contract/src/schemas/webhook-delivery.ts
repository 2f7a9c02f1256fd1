import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, Id, named, Pagination, Timestamp } from "./fields.ts";

/** `failed`: parked; the deliveries after it continued. */
export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

/** `split`: its events are now single deliveries. */
const SHOWN_STATES = [...DELIVERY_STATES, "split"] as const;

const DELIVERY_ORDERS = ["oldest", "newest"] as const;

/** `since` is inclusive, `until` exclusive; both refer to when a delivery was made. */
export const DeliveryList = closed({
  webhook_id: Id,
  state: Type.Optional(Type.Enum(DELIVERY_STATES)),
  order: Type.Optional(Type.Enum(DELIVERY_ORDERS)),
  since: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
  event_id: Type.Optional(Id),
  pagination: Type.Optional(Pagination),
});

const REPLAY_FORMS = "must have exactly one of event_ids, since (with until, if wanted), and failed";

/** The events to send again: `since` is inclusive, `until` exclusive. */
export const DeliveryReplay = closed(
  {
    webhook_id: Id,
    event_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: LIMITS.eventsPerReplay })),
    since: Type.Optional(Timestamp),
    until: Type.Optional(Timestamp),
    failed: Type.Optional(Type.Unsafe<true>({ type: "boolean", enum: [true] })),
  },
  {
    $comment: REPLAY_FORMS,
    // The counts of properties keep one form from accepting another one's fields, and `until` from coming
    // without `since`.
    oneOf: [
      { required: ["webhook_id", "event_ids"], maxProperties: 2 },
      { required: ["webhook_id", "since"], maxProperties: 2 },
      { required: ["webhook_id", "since", "until"], maxProperties: 3 },
      { required: ["webhook_id", "failed"], maxProperties: 2 },
    ],
  },
);

/** The result of one attempt, if there was one: the answer's `status`, or why there was none. */
const outcome = {
  status: Type.Optional(Type.Integer()),
  error_class: Type.Optional(Type.String()),
  answer: Type.Optional(Type.String()),
};

export const WebhookDelivery = named(
  "WebhookDelivery",
  "One request to a webhook, with the result of its last attempt. `next_attempt_at` is there while it is " +
    "pending; `failed`: its event was refused for good, and later events are sent; `split`: its events are " +
    "sent one by one, in deliveries whose `split_from` names it.",
).Object({
  id: Type.String(),
  webhook_id: Type.String(),
  event_ids: Type.Array(Type.String()),
  state: Type.Enum(SHOWN_STATES),
  attempts: Type.Integer({ minimum: 0 }),
  ...outcome,
  duration_ms: Type.Optional(Type.Integer({ minimum: 0 })),
  created_at: Type.String(),
  last_attempt_at: Type.Optional(Type.String()),
  next_attempt_at: Type.Optional(Type.String()),
  delivered_at: Type.Optional(Type.String()),
  split_from: Type.Optional(Type.String()),
  replayed_at: Type.Optional(Type.String()),
});

export const DeliveryAttempt = named(
  "DeliveryAttempt",
  "One attempt: when, how long, and the result.",
).Object({
  number: Type.Integer({ minimum: 1 }),
  attempted_at: Type.String(),
  duration_ms: Type.Integer({ minimum: 0 }),
  ...outcome,
});

export const DeliveryDetail = named(
  "DeliveryDetail",
  `A delivery with its attempts. Of more than ${LIMITS.deliveryAttemptsKept} the first and the last ` +
    `${LIMITS.deliveryAttemptsKept / 2} are kept, each with the first KiB of its answer.`,
).Object({ ...WebhookDelivery.properties, attempt_log: Type.Array(DeliveryAttempt) });

/** The number of events to send again. */
export const DeliveryReplayed = Type.Object({ queued: Type.Integer({ minimum: 0 }) });

/** The number of deliveries that no longer wait for their time. */
export const WebhookRetried = Type.Object({ due: Type.Integer({ minimum: 0 }) });

export const WebhookTestOutcome = named(
  "WebhookTestOutcome",
  "The result of the one attempt; `error_class` says why it failed.",
).Object({
  delivery_id: Type.String(),
  delivered: Type.Boolean(),
  ...outcome,
  duration_ms: Type.Integer({ minimum: 0 }),
});
