import type { Static, TObject, TProperties, TSchema } from "typebox";
import { LIMITS } from "../limits.ts";
import { Type, withPublicName } from "../type-builder.ts";

/**
 * Building blocks of the schemas. The formats are functions in `../formats.ts`, which the generated
 * validators call. Every object is closed, so that a typo is refused and not silently dropped.
 */
export const closed = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** A record id. Ids of the wrong form are unknown, not malformed, so the schema asks for a string only. */
export const Id = Type.String();
/** RFC 3339 with an offset, years 2000 to 2100. */
export const Timestamp = Type.String({ format: "timestamp" });
/** One line of text, no control characters. */
export const line = (maxLength: number, minLength = 1) =>
  Type.String({ minLength, maxLength, format: "printable" });
/** Text that a database can keep: no NUL, no half of a surrogate pair. */
export const prose = (maxLength: number) => Type.String({ maxLength, format: "storable" });
export const Access = Type.Enum(["read", "write"]);

/** One `type` list instead of a union: the validator is smaller, and its error names the real fault. */
export const nullable = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, "null"] });

/**
 * One of several closed forms, distinguished by their `type`. The validator checks only the form that `type`
 * names, so that an issue has its exact place; for a union it could only say that no form fits.
 */
export const byType = <T extends TObject[]>(...forms: T) =>
  Type.Unsafe<Static<T[number]>>({
    type: "object",
    required: ["type"],
    discriminator: { propertyName: "type" },
    oneOf: forms,
  });

/**
 * Builders of a schema with a name of its own: the documents and the client's types refer to it by its name.
 * Any other schema stands where it is used.
 */
export function named(name: string, description: string) {
  const publicName = { name, description };
  const of = <S extends TSchema>(schema: S) => withPublicName(schema, publicName);
  return {
    of,
    Object: <P extends TProperties>(properties: P) => of(Type.Object(properties)),
    Union: <T extends TSchema[]>(forms: [...T]) => of(Type.Union(forms)),
    closed: <P extends TProperties>(properties: P, options?: object) => of(closed(properties, options)),
    byType: <T extends TObject[]>(...forms: T) => of(byType(...forms)),
  };
}

export const Pagination = named("Pagination", "Which page of a list.").closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageLimitMax })),
  cursor: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.pageSkipMax })),
});
export type Pagination = Static<typeof Pagination>;

/** The request for one record by its id, and for a list without filters. */
export const ById = closed({ id: Id });
export const PlainList = closed({ pagination: Type.Optional(Pagination) });

/** `data` of a conflict `too_many_…`: the most there may be. */
export const TooMany = Type.Object({ limit: Type.Optional(Type.Integer()) });

export const Page = named("Page", "Where the next page begins. `cursor` is null on the last page.").Object({
  page_size: Type.Integer(),
  cursor: nullable(Type.String()),
  total: Type.Optional(Type.Integer()),
  more: Type.Boolean(),
});

export const pageOf = <T extends TSchema>(record: T) => Type.Object({ data: Type.Array(record), page: Page });
