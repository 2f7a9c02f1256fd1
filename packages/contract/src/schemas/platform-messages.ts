import type { Static, TSchema } from "typebox";
import { Type } from "../type-builder.ts";
import { DealReward, DisplayContent, ProgramReward } from "./configuration.ts";
import { Timestamp } from "./fields.ts";

/**
 * Everything about a transaction that is published to the central platform (contract, section 8). No member
 * id, ref, amount, currency, auth code, bin or network.
 */
export const PlatformRecord = Type.Object(
  {
    transaction_id: Type.String(),
    /** SHA-256 in lower-case hex; the one over six BIN digits first. */
    identifiers: Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }), { minItems: 1, maxItems: 2 }),
    merchant_id: Type.String({ format: "storable" }),
    statement_descriptor: Type.Optional(Type.String({ format: "storable" })),
    authed_at: Timestamp,
    cleared_at: Type.Optional(Timestamp),
    reverted_at: Type.Optional(Timestamp),
    /** The member's open clips that count for the purchase. */
    clips: Type.Array(
      Type.Object({ clip_id: Type.String(), deal_id: Type.String() }, { additionalProperties: false }),
    ),
    /** The member's enrolments that count for the purchase. */
    enrolments: Type.Array(
      Type.Object(
        { stamp_collection_id: Type.String(), loyalty_program_id: Type.String() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type PlatformRecord = Static<typeof PlatformRecord>;

/**
 * The content of a stream message: the records of one batch. Ingest writes them as bytes
 * (`codec/record-layout.ts`), and their reader checks what this schema says. JSON comes from the platform's
 * own storage, and came from ingest before 0.1.0. The receiver merges them by `transaction_id`: the
 * newest record has the state of the transaction, and links add up. A record with too many links for one
 * message is sent as several, each with a part of them.
 */
export const PlatformMessage = Type.Object({
  v: Type.Literal(1),
  records: Type.Array(PlatformRecord, { minItems: 1 }),
});
export type PlatformMessage = Static<typeof PlatformMessage>;

/**
 * The values of `retroactive` over time, the oldest first, so that a link counts by the rules in force when
 * its purchase was authorized. The first also holds for all time before. Absent: the record's value holds for
 * all time.
 */
const RetroactiveHistory = Type.Array(Type.Object({ since: Timestamp, retroactive: Type.Boolean() }), {
  minItems: 1,
  maxItems: 100,
});

/**
 * Configuration from the platform: the present state of one loyalty program or deal, or its removal. The
 * stream keeps the last message of each. `revision` grows with every change of that program or deal, so that
 * an older one that comes late changes nothing.
 */
const revised = <K extends string, T extends TSchema>(kind: K, record: T) =>
  Type.Object({
    v: Type.Literal(1),
    kind: Type.Literal(kind),
    /** `lp_…` or `deal_…`. */
    id: Type.String(),
    revision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    /** Null: it was removed. */
    record: Type.Union([record, Type.Null()]),
    /** Present for a removed one, too, as in its records: a publisher may never have received those. */
    retroactive_history: Type.Optional(RetroactiveHistory),
  });

export const ProgramConfig = revised(
  "loyalty-program",
  Type.Object({
    name: Type.String(),
    qualifying_threshold: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    reward_config: ProgramReward,
    display_content: DisplayContent,
    /** Currency of the rewards if neither the outcome nor the transaction has one (contract, section 9). */
    currency: Type.Optional(Type.String({ format: "currency" })),
    /** Whether enrolments also count for purchases authorized before (contract, section 9). Absent: no. */
    retroactive: Type.Optional(Type.Boolean()),
    retroactive_history: Type.Optional(RetroactiveHistory),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type ProgramConfig = Static<typeof ProgramConfig>;

export const DealConfig = revised(
  "deal",
  Type.Object({
    name: Type.String(),
    reward_config: DealReward,
    display_content: DisplayContent,
    starts_at: Type.Optional(Timestamp),
    ends_at: Type.Optional(Timestamp),
    /** Whether clips also count for purchases authorized before (contract, section 9). Absent: no. */
    retroactive: Type.Optional(Type.Boolean()),
    retroactive_history: Type.Optional(RetroactiveHistory),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type DealConfig = Static<typeof DealConfig>;

export const ConfigMessage = Type.Union([ProgramConfig, DealConfig]);
export type ConfigMessage = Static<typeof ConfigMessage>;
