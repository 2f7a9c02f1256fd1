import type { TProperties } from "typebox";
import { LIMITS } from "../limits.ts";
import { Type } from "../type-builder.ts";
import { closed } from "./fields.ts";

/** A condition on one key: equal to a value, one of a list, or none of a list. */
type FilterLeaf<K extends string> =
  | { readonly key: K; readonly eq: string }
  | { readonly key: K; readonly in: readonly string[] }
  | { readonly key: K; readonly nin: readonly string[] };

/** A filter of a list (contract, section 4). */
export type Filter<K extends string> =
  | FilterLeaf<K>
  | { readonly or: readonly Filter<K>[] }
  | { readonly and: readonly Filter<K>[] };

/** Compared with stored values, so it may be any storable text. */
const Value = Type.String({ format: "storable" });
const Values = Type.Array(Value, { minItems: 1, maxItems: LIMITS.filterValues });

const LEAF = 'a "key" with one of "eq", "in" and "nin"';
const leafForms = ["eq", "in", "nin"].map((operator) => ({ required: ["key", operator], maxProperties: 2 }));
const combinatorForms = ["or", "and"].map((combinator) => ({ required: [combinator], maxProperties: 1 }));

/**
 * The definitions of one list's filters, by name: the request uses `filter_1`, and each refers to the next.
 * They are unrolled, because a recursive schema would let a body nest until the validator's stack is full.
 * The last one is a leaf. The reader of the filters counts the leaves.
 */
function filterDefinitions(keys: readonly string[]): Record<string, object> {
  const key = { type: "string", enum: keys };
  const levels = Array.from({ length: LIMITS.filterDepth }, (_, index) => index + 1);
  const leafLevel = LIMITS.filterDepth + 1;
  return {
    ...Object.fromEntries(levels.map((level) => [`filter_${level}`, combinable(key, level)])),
    [`filter_${leafLevel}`]: {
      type: "object",
      $comment: `must be ${LEAF}: combinators nest at most ${LIMITS.filterDepth} deep`,
      additionalProperties: false,
      properties: { key, eq: Value, in: Values, nin: Values },
      oneOf: leafForms,
    },
  };
}

function combinable(key: object, level: number): object {
  const inner = filterList(level + 1, 1);
  return {
    type: "object",
    $comment: `must be ${LEAF}, or {"or": […]}, or {"and": […]}`,
    additionalProperties: false,
    properties: { key, eq: Value, in: Values, nin: Values, or: inner, and: inner },
    oneOf: [...leafForms, ...combinatorForms],
  };
}

/** Every entry has at least one leaf, so no list can hold more entries than there may be leaves. */
function filterList(level: number, minItems: number): object {
  return {
    type: "array",
    ...(minItems > 0 && { minItems }),
    maxItems: LIMITS.filterLeaves,
    items: { $ref: `#/$defs/filter_${level}` },
  };
}

/** `filters` of a list request: all must hold. The schema's `$defs` must be `filterDefinitions`. */
export const filters = <K extends string>() => Type.Unsafe<readonly Filter<K>[]>(filterList(1, 0));

/** A closed list request with filters on these keys. */
export const filteredList = <P extends TProperties>(keys: readonly string[], properties: P) =>
  closed(properties, { $defs: filterDefinitions(keys) });
