/** The part of JSON Schema 2020-12 that the generator reads. Ajv alone judges the rest. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
}

/** Follows `$ref`; returns the schema itself if it has none. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

export function typesOf(schema: JsonSchema): readonly string[] {
  if (schema.type === undefined) return schema.properties === undefined ? [] : ["object"];
  return typeof schema.type === "string" ? [schema.type] : schema.type;
}

/** A step of a JSON pointer (RFC 6901). */
export function child(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/**
 * The same for a name that the service does not know, or misses: the service cuts it, but never through a
 * character.
 */
export function strangeChild(path: string, name: string): string {
  return child(path, name.slice(0, 64).toWellFormed());
}
