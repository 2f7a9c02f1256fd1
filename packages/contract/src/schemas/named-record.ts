import { Type } from "../type-builder.ts";

/** What `id/resolve` can find, by the prefix of the id. */
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
 * What an id of ours names, and what that belongs to: the purchase by its `external_id` (`transaction_ref`), the card,
 * the member. What it does not belong to, or belongs to no longer, is left out.
 */
export const NamedRecord = Type.Object({
  id: Type.String(),
  kind: Type.Enum(NAMED_KINDS),
  transaction_ref: Type.Optional(Type.String()),
  stamp_collection_id: Type.Optional(Type.String()),
  member_id: Type.Optional(Type.String()),
});
