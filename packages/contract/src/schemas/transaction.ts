import type { Static } from "typebox";
import { NETWORKS, STATES } from "#domain";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, Id, line, named, nullable, Pagination, Timestamp } from "./fields.ts";
import { Reward } from "./wallet.ts";

const Network = Type.Enum([...NETWORKS]);
export const ExternalId = line(128);

/** Contract, section 6. */
export const TransactionEvent = named(
  "TransactionEvent",
  "A card transaction as you know it now. `cleared_at` and `reverted_at` exclude each other.",
).closed(
  {
    member_id: Id,
    external_id: ExternalId,
    auth_code: Type.String({ minLength: 1, maxLength: 32, format: "card-free" }),
    network: Network,
    bin: Type.String({ pattern: "^[0-9]{6,8}$" }),
    merchant_id: line(64),
    statement_descriptor: Type.Optional(Type.String({ maxLength: 128, format: "card-free" })),
    amount: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    currency: Type.Optional(Type.String({ format: "currency" })),
    authed_at: Timestamp,
    cleared_at: Type.Optional(Timestamp),
    reverted_at: Type.Optional(Timestamp),
  },
  // The type is named because `required` alone also holds for a value that is no object, and would hide that
  // fault.
  {
    not: {
      type: "object",
      properties: { cleared_at: {}, reverted_at: {} },
      required: ["cleared_at", "reverted_at"],
    },
  },
);
export type TransactionEvent = Static<typeof TransactionEvent>;

export const TransactionIngest = closed({
  events: Type.Array(TransactionEvent, { minItems: 1, maxItems: LIMITS.eventsPerRequest }),
});

/** By `authed_at`: from `since` on and before `until`. */
const AUTHED = {
  since: Type.Optional(
    Type.String({ format: "timestamp", description: "Authorized at this time or later." }),
  ),
  until: Type.Optional(Type.String({ format: "timestamp", description: "Authorized before this time." })),
};

export const TransactionList = closed({
  member_id: Id,
  state: Type.Optional(Type.Enum([...STATES])),
  ...AUTHED,
  pagination: Type.Optional(Pagination),
});

export const TransactionExport = closed({ ...AUTHED, pagination: Type.Optional(Pagination) });

export const BatchGet = closed({ id: Id });

export const TransactionGet = closed({ external_id: ExternalId });

export const IgnoredEvent = named(
  "IgnoredEvent",
  "An event of a known transaction whose `fields` were ignored; `index` is its place in the request.",
).Object({
  index: Type.Integer(),
  external_id: Type.String(),
  fields: Type.Array(Type.String(), { minItems: 1 }),
});
export type IgnoredEvent = Static<typeof IgnoredEvent>;

/**
 * In an answer, next to the counts, if anything was ignored: the first `LIMITS.ignoredEvents` of those
 * events, or all of them if the request asked for `outcomes`; and their number.
 */
const IGNORED = {
  ignored: Type.Optional(Type.Array(IgnoredEvent, { minItems: 1, maxItems: LIMITS.eventsPerRequest })),
  ignored_total: Type.Optional(Type.Integer({ minimum: 1 })),
};

/** In an answer to `prefer: return=representation`: one letter for each event, in the order of the request. */
const OUTCOMES = {
  outcomes: Type.Optional(
    Type.String({ pattern: "^[cunr]+$", minLength: 1, maxLength: LIMITS.eventsPerRequest }),
  ),
};

export const TransactionProcessed = named(
  "TransactionProcessed",
  "Every event was applied and is committed.",
).Object({
  status: Type.Literal("processed"),
  accepted: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  ...OUTCOMES,
  ...IGNORED,
});

export const TransactionAccepted = named(
  "TransactionAccepted",
  "The events are on disk and will take effect; `transaction.batch/get` tells their results. `batch_id` is at " +
    "most 1,000 characters long; `transaction.rejected` events and `transaction.rejection/list` name the " +
    "batch by its part before the dot.",
).Object({
  status: Type.Literal("accepted"),
  batch_id: Type.String({ maxLength: LIMITS.batchIdLength }),
  accepted: Type.Integer(),
});

export const RejectedEvent = named(
  "RejectedEvent",
  "One event that was not applied; `index` is its place in the request.",
).Object({
  index: Type.Integer(),
  external_id: Type.String(),
  code: Type.Enum(["conflict", "not_found"]),
  reason: Type.String(),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
});
export type RejectedEvent = Static<typeof RejectedEvent>;

/**
 * `data` of a 409 for an ingest request: the first rejected event, the counts of the others, and all rejected
 * events.
 */
export const Rejection = named(
  "Rejection",
  "Some events were rejected, all others are applied. `reason` and `external_id` are those of the first " +
    "rejected event.",
).Object({
  reason: Type.String(),
  external_id: Type.String(),
  accepted: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  rejected: Type.Array(RejectedEvent, { minItems: 1 }),
  ...OUTCOMES,
  ...IGNORED,
});

/** By the time of rejection: from `since` on and before `until`. */
export const RejectionList = closed({
  external_id: Type.Optional(ExternalId),
  member_id: Type.Optional(Id),
  since: Type.Optional(Type.String({ format: "timestamp", description: "Rejected at this time or later." })),
  until: Type.Optional(Type.String({ format: "timestamp", description: "Rejected before this time." })),
  pagination: Type.Optional(Pagination),
});

/**
 * `batch_id` is the part of the batch's id before its dot; it and `index` are absent for an event that an
 * operator has put back.
 */
export const KeptRejection = named(
  "KeptRejection",
  "A rejected event. Up to 1,000 are kept for each minute; a row with the code `not_kept` and a `count` says " +
    "how many more there were.",
).Object({
  rejected_at: Type.String(),
  code: Type.Enum(["conflict", "not_found", "not_kept"]),
  reason: Type.String(),
  external_id: Type.Optional(Type.String()),
  member_id: Type.Optional(nullable(Type.String())),
  batch_id: Type.Optional(Type.String()),
  index: Type.Optional(Type.Integer()),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
});

export const Batch = named(
  "Batch",
  "The result of a batch. `accepted` is the number of events without a kept rejection, and is 0 until the batch is `processed`. " +
    "`lost`: the stream that held the batch is gone, and events that were not applied never will be: send " +
    "them again.",
).Object({
  id: Type.String(),
  status: Type.Enum(["pending", "processed", "lost"]),
  accepted: Type.Integer(),
  rejected: Type.Array(RejectedEvent),
  ...IGNORED,
});

export const Transaction = named("Transaction", "A card transaction as it is stored.").Object({
  id: Type.String(),
  external_id: Type.String(),
  member_id: nullable(Type.String()),
  state: Type.Enum([...STATES]),
  network: Network,
  merchant_id: Type.String(),
  statement_descriptor: Type.Optional(Type.String()),
  amount: Type.Optional(Type.Integer()),
  currency: Type.Optional(Type.String()),
  authed_at: Type.String(),
  cleared_at: Type.Optional(Type.String()),
  reverted_at: Type.Optional(Type.String()),
  identifiers: Type.Array(Type.String()),
  rewards: Type.Array(Reward),
});
