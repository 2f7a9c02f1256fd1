import Type from "typebox";

/**
 * What leaves for the central platform about a transaction (contract, section 8): these fields and nothing else. No
 * member id, ref, amount, currency, auth code, bin or network.
 */
export const PlatformRecord = Type.Object(
  {
    transaction_id: Type.String(),
    /** SHA-256 in lower-case hex, over six BIN digits first. */
    identifiers: Type.Array(Type.String(), { minItems: 1, maxItems: 2 }),
    merchant_id: Type.String(),
    statement_descriptor: Type.Optional(Type.String()),
    authed_at: Type.String(),
    cleared_at: Type.Optional(Type.String()),
    reverted_at: Type.Optional(Type.String()),
    /** The member's open clips. */
    clips: Type.Array(
      Type.Object({ clip_id: Type.String(), deal_id: Type.String() }, { additionalProperties: false }),
    ),
    /** The member's enrolments. */
    enrolments: Type.Array(
      Type.Object(
        { stamp_collection_id: Type.String(), loyalty_program_id: Type.String() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type PlatformRecord = Type.Static<typeof PlatformRecord>;

/** One stream message: the records of one batch. The receiver keys them by `transaction_id`; the last one wins. */
export const PlatformMessage = Type.Object({
  v: Type.Literal(1),
  records: Type.Array(PlatformRecord, { minItems: 1 }),
});
export type PlatformMessage = Type.Static<typeof PlatformMessage>;
