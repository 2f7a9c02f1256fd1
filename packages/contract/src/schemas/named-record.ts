import { Type } from "../type-builder.ts";
import { named } from "./fields.ts";

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

export const NamedRecord = named(
  "NamedRecord",
  "The record that an id names, and the records that it belongs to; others are left out.",
).Object({
  id: Type.String(),
  kind: Type.Enum(NAMED_KINDS),
  transaction_ref: Type.Optional(Type.String()),
  stamp_collection_id: Type.Optional(Type.String()),
  member_id: Type.Optional(Type.String()),
});
