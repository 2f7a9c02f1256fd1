import type typebox from "typebox";
import type { TSchema } from "typebox";

/**
 * The builders of TypeBox that our schemas use. Only TypeBox's types are used, and none of its code at run
 * time: loading it costs a process a quarter of a second of CPU, and services need schemas only as plain
 * objects. A test compares the results with TypeBox's.
 */
type Builders = Pick<
  typeof typebox,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Record"
  | "String"
  | "Union"
  | "Unsafe"
>;

type Options = Readonly<Record<string, unknown>>;

/** Marks the schema of a property that may be missing; hidden, so that it is no keyword of the schema. */
const OPTIONAL = "~optional";

const typed = (type: string) => (options?: Options) => ({ type, ...options });

function buildObject(properties: Readonly<Record<string, TSchema>>, options?: Options) {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] as TSchema)));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
}

function buildOptional(schema: TSchema) {
  const hidden = { [OPTIONAL]: { value: true }, [PUBLIC_NAME]: { value: publicNameOf(schema) } };
  return Object.defineProperties({ ...schema }, hidden);
}

/** What a schema is called in the API documents and in the client's types, and what both say about it. */
export interface PublicName {
  readonly name: string;
  readonly description: string;
}

/**
 * Hidden like `OPTIONAL`, so that validators do not carry it. A schema that is spread from a named one has
 * another content, and so does not take the name along.
 */
const PUBLIC_NAME = "~publicName";

/** A copy of the schema with a public name. */
export function withPublicName<S extends TSchema>(schema: S, publicName: PublicName): S {
  return Object.defineProperty({ ...schema }, PUBLIC_NAME, { value: publicName });
}

export function publicNameOf(schema: object): PublicName | undefined {
  return (schema as { readonly [PUBLIC_NAME]?: PublicName })[PUBLIC_NAME];
}

const builders = {
  Array: (items: TSchema, options?: Options) => ({ type: "array", items, ...options }),
  Boolean: typed("boolean"),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: typed("integer"),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: typed("null"),
  Number: typed("number"),
  Object: buildObject,
  Optional: buildOptional,
  Record: (_key: TSchema, value: TSchema, options?: Options) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  String: typed("string"),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unsafe: (schema: Options) => ({ ...schema }),
};

export const Type = builders as unknown as Builders;
