import type { TSchema } from "typebox";
import { FORMATS } from "../formats.ts";
import { type PublicName, publicNameOf } from "../type-builder.ts";
import { pascalCase } from "./names.ts";

/** A JSON Schema (2020-12): the form that OpenAPI 3.1 has for schemas. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const REFERENCE = "#/components/schemas/";
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE_SCHEMA = new Set(["items", "additionalProperties", "propertyNames", "not", "contains"]);
const SCHEMA_LIST = new Set(["anyOf", "oneOf", "allOf"]);
const SCHEMA_MAP = new Set(["properties", "patternProperties"]);

/**
 * Turns schemas of the contract into those of the document, and collects the components that they refer to.
 * Each use of a named schema becomes a reference; one without a name stands where it is used.
 */
export class SchemaWriter {
  readonly #fieldDescriptions: Readonly<Record<string, string>>;
  readonly #components = new Map<string, JsonSchema>();
  readonly #publicNames = new Map<string, PublicName>();

  constructor(fieldDescriptions: Readonly<Record<string, string>>) {
    this.#fieldDescriptions = fieldDescriptions;
  }

  /** @param scope the prefix of the component names for the `$defs` of this schema, such as `member/list` */
  write(schema: TSchema, scope: string): JsonSchema {
    const { $defs = {} } = schema as { readonly $defs?: Readonly<Record<string, JsonSchema>> };
    const nameOf = (definition: string) => pascalCase(`${scope}/${definition}`);
    for (const [definition, inner] of Object.entries($defs)) {
      this.#components.set(nameOf(definition), this.#convert(inner, nameOf));
    }
    return this.#refer(schema as JsonSchema, nameOf);
  }

  /** All components with a reference, in the order of their names. */
  components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #refer(schema: JsonSchema, nameOf: (definition: string) => string): JsonSchema {
    const publicName = publicNameOf(schema);
    if (publicName === undefined) return this.#convert(schema, nameOf);
    const { name, description } = publicName;
    const known = this.#publicNames.get(name);
    if (known === undefined) {
      this.#publicNames.set(name, publicName);
      this.#components.set(name, { ...this.#convert(schema, nameOf), description });
    } else if (known !== publicName) throw new Error(`two schemas are named ${name}`);
    return { $ref: REFERENCE + name };
  }

  #convert(given: JsonSchema, nameOf: (definition: string) => string): JsonSchema {
    const schema = oneTypeEach(given);
    const convert = (inner: unknown) => (isSchema(inner) ? this.#refer(inner, nameOf) : inner);
    const converted: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      // OpenAPI's discriminator needs named schemas, unlike these; the `oneOf` says the same.
      if (keyword === "discriminator" || keyword === "$defs") continue;
      if (keyword === "$ref") converted[keyword] = localReference(value as string, nameOf);
      else if (ONE_SCHEMA.has(keyword)) converted[keyword] = convert(value);
      else if (SCHEMA_LIST.has(keyword)) converted[keyword] = (value as unknown[]).map(convert);
      else if (SCHEMA_MAP.has(keyword)) converted[keyword] = mapValues(value as object, convert);
      else converted[keyword] = value;
    }
    if (converted.properties !== undefined) {
      const fields = converted.properties as Record<string, JsonSchema>;
      converted.properties = describeFields(fields, this.#fieldDescriptions);
    }
    return { ...converted, ...typeOfEnum(schema), ...explain(schema) };
  }
}

function localReference(target: string, nameOf: (definition: string) => string): string {
  return REFERENCE + nameOf(target.replace("#/$defs/", ""));
}

/** Keywords may accompany a `$ref` (JSON Schema 2020-12), so a field's own description is kept. */
function describeFields(
  fields: Record<string, JsonSchema>,
  descriptions: Readonly<Record<string, string>>,
): Record<string, JsonSchema> {
  return mapValues(fields, (schema, name) => {
    const { description: own, ...rest } = schema as JsonSchema;
    const description = [descriptions[name], own].filter((text) => text !== undefined).join(" ");
    const isInstant = rest.type === "string" && rest.format === undefined && /(_at|^timestamp)$/.test(name);
    return { ...rest, ...(isInstant && { format: "date-time" }), ...(description !== "" && { description }) };
  });
}

/** The type of values that a keyword applies to; all others apply to any. */
const OF_TYPE: Readonly<Record<string, string>> = {
  format: "string",
  pattern: "string",
  minLength: "string",
  maxLength: "string",
  items: "array",
  minItems: "array",
  maxItems: "array",
};

/**
 * A list of types as a choice of schemas with one type each, and with the keywords that apply to it: some
 * generators apply the format of a string to numbers. If the list only adds null to one type, all of them
 * understand it.
 */
function oneTypeEach(schema: JsonSchema): JsonSchema {
  const { type: types, ...rest } = schema;
  if (!Array.isArray(types) || types.filter((type) => type !== "null").length < 2) return schema;
  const ofType = (type: unknown) =>
    Object.entries(rest).filter(([keyword]) => keyword in OF_TYPE && OF_TYPE[keyword] === type);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => !(keyword in OF_TYPE))),
    anyOf: types.map((type) => ({ type, ...Object.fromEntries(ofType(type)) })),
  };
}

/** Tools show an enumeration without a type as "any". */
function typeOfEnum({ type, enum: values }: JsonSchema): JsonSchema {
  const isText =
    type === undefined && Array.isArray(values) && values.every((one) => typeof one === "string");
  return isText ? { type: "string" } : {};
}

/** Words for keywords that tools do not know: our own formats, and rules across fields (in `$comment`). */
function explain({ format, $comment, description }: JsonSchema): JsonSchema {
  const known = FORMATS[format as keyof typeof FORMATS];
  const words = [description, known?.message, $comment].filter((text) => typeof text === "string");
  return words.length === 0 ? {} : { description: words.map(sentence).join(" ") };
}

function sentence(text: string): string {
  const first = text.slice(0, 1).toUpperCase() + text.slice(1);
  return first.endsWith(".") ? first : `${first}.`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}

function mapValues<T>(values: object, map: (value: unknown, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
