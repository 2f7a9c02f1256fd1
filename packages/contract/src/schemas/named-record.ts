import { Type } from "../type-builder.ts";

/** The kinds of records that `id/resolve` can find, by the prefix of the id. */
const NAMED_KINDS = [
  "transaction",
  "qualifying_purchase",
  "redemption",
  "cashback",
  "event",
  "stamp_collection",
  "clip",
] as const;

/**
 * The kind of an id of ours, and the owner of its record: the purchase by its `external_id`
 * (`transaction_ref`), the card, the member. Fields of owners that it does not have, or has no longer, are
 * absent.
 */
export const NamedRecord = Type.Object({
  id: Type.String(),
  kind: Type.Enum(NAMED_KINDS),
  transaction_ref: Type.Optional(Type.String()),
  stamp_collection_id: Type.Optional(Type.String()),
  member_id: Type.Optional(Type.String()),
});
