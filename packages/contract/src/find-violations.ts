import { codePointLength } from "./code-point-length.ts";
import { FORMATS } from "./formats.ts";

/** A violation from a validator; the part of Ajv's error object that is read here. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The part of JSON Schema that describes requests (`find-violations.test.ts` compares the two). */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly not?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly $comment?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/**
 * All faults of a body by its schema; for each value the first. Only for a body of ordinary size that the
 * compiled validator has refused: the validator is ten times as fast and stops at the first fault.
 * @param listed the most faults to return; the others are counted
 */
export function findViolations(
  schema: object,
  body: unknown,
  listed: number,
): { readonly issues: readonly SchemaViolation[]; readonly total: number } {
  const walk = new Walk(schema, listed);
  walk.visit(schema, body, "");
  return walk;
}

class Walk {
  readonly issues: SchemaViolation[] = [];
  total = 0;
  readonly #root: Schema;
  readonly #listed: number;

  constructor(root: Schema, listed: number) {
    this.#root = root;
    this.#listed = listed;
  }

  visit(given: Schema, value: unknown, path: string): void {
    const schema = given.$ref === undefined ? given : this.#resolve(given.$ref);
    const fault = faultOf(schema, value);
    if (fault !== undefined) this.#report(path, ...fault);
    else if (Array.isArray(value)) this.#visitItems(schema, value, path);
    else if (typeof value === "object" && value !== null) this.#visitObject(schema, value, path);
  }

  #visitItems({ items }: Schema, values: readonly unknown[], path: string): void {
    if (items === undefined) return;
    values.forEach((value, at) => {
      this.visit(items, value, `${path}/${at}`);
    });
  }

  #visitObject(schema: Schema, value: object, path: string): void {
    const fields = value as Readonly<Record<string, unknown>>;
    const { required = [], properties = {}, additionalProperties, propertyNames } = schema;
    const before = this.total;
    for (const missingProperty of required) {
      if (!Object.hasOwn(fields, missingProperty)) this.#report(path, "required", { missingProperty });
    }
    const others = Object.keys(fields).filter((name) => !Object.hasOwn(properties, name));
    if (additionalProperties === false) {
      for (const name of others) this.#report(path, "additionalProperties", { additionalProperty: name });
    }
    // The path of an issue names no key that may not be: of a very long one, each issue would repeat it.
    const named = others.filter((name) => propertyNames === undefined || !faultOf(propertyNames, name));
    if (named.length < others.length) this.#report(path, "propertyNames", {});
    // A missing or unknown field was reported already, and forms differ by their fields.
    if (this.total === before) this.#visitForms(schema, fields, path);
    for (const [name, inner] of Object.entries(properties)) {
      if (Object.hasOwn(fields, name)) this.visit(inner, fields[name], `${path}/${name}`);
    }
    if (typeof additionalProperties !== "object") return;
    for (const name of named) this.visit(additionalProperties, fields[name], `${path}/${pointed(name)}`);
  }

  /** Rules about an object as a whole. */
  #visitForms(schema: Schema, fields: Readonly<Record<string, unknown>>, path: string): void {
    const { not, oneOf, discriminator, $comment: comment } = schema;
    if (not !== undefined && this.#matches(not, fields)) this.#report(path, "not", {});
    if (oneOf === undefined) return;
    if (discriminator === undefined) {
      const passing = oneOf.filter((form) => this.#matches(form, fields)).length;
      if (passing !== 1) this.#report(path, "oneOf", { comment });
      return;
    }
    const { propertyName: tag } = discriminator;
    const values = oneOf.map(({ properties }) => properties?.[tag]?.const);
    const form = oneOf[values.indexOf(fields[tag])];
    if (form === undefined) this.#report(path, "discriminator", { tag, allowedValues: values });
    else this.visit(form, fields, path);
  }

  #matches(schema: Schema, value: unknown): boolean {
    const walk = new Walk(this.#root, 0);
    walk.visit(schema, value, "");
    return walk.total === 0;
  }

  #resolve(ref: string): Schema {
    return this.#root.$defs?.[ref.replace("#/$defs/", "")] ?? {};
  }

  #report(instancePath: string, keyword: string, params: SchemaViolation["params"]): void {
    if (this.issues.length < this.#listed) this.issues.push({ instancePath, keyword, params });
    this.total++;
  }
}

type Fault = readonly [keyword: string, params: SchemaViolation["params"]];

/** The fault of a value itself, apart from its fields and entries. */
function faultOf(schema: Schema, value: unknown): Fault | undefined {
  const { type, enum: allowedValues } = schema;
  if (type !== undefined && !isOfTypes(type, value)) return ["type", { type }];
  if (allowedValues !== undefined && !allowedValues.includes(value)) return ["enum", { allowedValues }];
  if (schema.const !== undefined && value !== schema.const) return ["const", {}];
  if (typeof value === "string") return faultOfText(schema, value);
  if (typeof value === "number") return faultOfNumber(schema, value);
  if (Array.isArray(value)) return faultOfList(schema, value);
  if (typeof value !== "object" || value === null) return undefined;
  const { maxProperties } = schema;
  const isOver = maxProperties !== undefined && Object.keys(value).length > maxProperties;
  return isOver ? ["maxProperties", { limit: maxProperties }] : undefined;
}

function isOfTypes(type: string | readonly string[], value: unknown): boolean {
  return typeof type === "string" ? isOfType(type, value) : type.some((one) => isOfType(one, value));
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function faultOfText({ minLength, maxLength, format, pattern }: Schema, text: string): Fault | undefined {
  const length = minLength === undefined && maxLength === undefined ? 0 : codePointLength(text);
  if (maxLength !== undefined && length > maxLength) return ["maxLength", { limit: maxLength }];
  if (minLength !== undefined && length < minLength) return ["minLength", { limit: minLength }];
  if (pattern !== undefined && !new RegExp(pattern, "u").test(text)) return ["pattern", { pattern }];
  const isFine = format === undefined || FORMATS[format as keyof typeof FORMATS].test(text);
  return isFine ? undefined : ["format", { format }];
}

function faultOfNumber({ minimum, exclusiveMinimum, maximum }: Schema, number: number): Fault | undefined {
  if (maximum !== undefined && number > maximum) return ["maximum", { limit: maximum }];
  if (minimum !== undefined && number < minimum) return ["minimum", { limit: minimum }];
  const isUnder = exclusiveMinimum !== undefined && number <= exclusiveMinimum;
  return isUnder ? ["exclusiveMinimum", { limit: exclusiveMinimum }] : undefined;
}

function faultOfList(
  { minItems, maxItems, uniqueItems }: Schema,
  list: readonly unknown[],
): Fault | undefined {
  if (maxItems !== undefined && list.length > maxItems) return ["maxItems", { limit: maxItems }];
  if (minItems !== undefined && list.length < minItems) return ["minItems", { limit: minItems }];
  return uniqueItems && new Set(list).size < list.length ? ["uniqueItems", {}] : undefined;
}

/** JSON pointer escaping (RFC 6901), as the compiled validators do it. */
function pointed(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
