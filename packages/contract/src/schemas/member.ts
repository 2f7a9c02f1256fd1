import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed, Id, line, named, Pagination } from "./fields.ts";
import { filteredList, filters } from "./filter.ts";

export type AttributeValue = string | number | boolean | null | readonly string[];

const AttributeValue = Type.Unsafe<AttributeValue>({
  type: ["string", "number", "boolean", "null", "array"],
  format: "storable",
  items: { type: "string", format: "storable" },
});

/** A present key overwrites, null removes, an absent key is left unchanged. */
const Attributes = Type.Unsafe<Record<string, AttributeValue>>({
  type: "object",
  maxProperties: LIMITS.attributesPerMember,
  propertyNames: { type: "string", minLength: 1, maxLength: 256, format: "printable" },
  additionalProperties: AttributeValue,
});

const Ref = line(LIMITS.refLength);

export const MemberBulkUpsert = closed({
  member_base_id: Id,
  members: Type.Array(closed({ ref: Ref, attributes: Type.Optional(Attributes) }), {
    minItems: 1,
    maxItems: LIMITS.membersPerRequest,
  }),
});

/** Either `member_base_id` and `ref`, or `id`. */
export const MemberGet = Type.Unsafe<{ id: string } | { member_base_id: string; ref: string }>({
  type: "object",
  additionalProperties: false,
  properties: { id: Id, member_base_id: Id, ref: Ref },
  $comment: "must have either id, or member_base_id and ref",
  oneOf: [
    { required: ["id"], maxProperties: 1 },
    { required: ["member_base_id", "ref"], maxProperties: 2 },
  ],
});

export const MemberFind = closed({ ref: Ref, pagination: Type.Optional(Pagination) });

type MemberFilterKey = "id" | "ref";

export const MemberList = filteredList(["id", "ref"], {
  member_base_id: Id,
  pagination: Type.Optional(Pagination),
  filters: Type.Optional(filters<MemberFilterKey>()),
});

const atMost = { minItems: 1, maxItems: LIMITS.membersPerRequest };

/** Exactly one of `member_ids` and `refs`. */
export const MemberBulkDelete = closed(
  {
    member_base_id: Id,
    member_ids: Type.Optional(Type.Array(Id, atMost)),
    refs: Type.Optional(Type.Array(Ref, atMost)),
  },
  {
    $comment: "must have either member_ids or refs",
    oneOf: [{ required: ["member_ids"] }, { required: ["refs"] }],
  },
);

export const Member = named("Member", "One member, known to you by `ref`.").Object({
  id: Type.String(),
  member_base_id: Type.String(),
  ref: Type.String(),
  attributes: Type.Record(Type.String(), AttributeValue),
  created_at: Type.String(),
  updated_at: Type.String(),
});

/** The ids of the members, in the order given. */
export const MemberBulkUpserted = Type.Array(Type.String());

/** The number of members that existed and are now deleted; unknown ones are ignored. */
export const MemberBulkDeleted = Type.Object({ deleted: Type.Integer({ minimum: 0 }) });

export const MemberBaseCreate = closed({ name: line(256) });

export const MemberBaseList = filteredList(["name"], {
  pagination: Type.Optional(Pagination),
  filters: Type.Optional(filters<"name">()),
});

export const MemberBase = named(
  "MemberBase",
  "A set of members. `deleted_at` is there once it is deleted.",
).Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
  deleted_at: Type.Optional(Type.String()),
});
