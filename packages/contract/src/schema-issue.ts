import type { Issue } from "./errors.ts";
import { FORMATS } from "./formats.ts";

/** What a generated validator reports; the part of Ajv's error object that is read here. */
export interface SchemaViolation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How many characters of an unknown property name are shown back. */
const SHOWN_NAME_LENGTH = 64;

/** Puts a violation into words for the integrator. Values are never repeated: they may be card data. */
export function describeViolation(violation: SchemaViolation): Issue {
  const { instancePath, keyword, params } = violation;
  switch (keyword) {
    case "required":
      return { path: child(instancePath, params.missingProperty), message: "is required" };
    case "additionalProperties":
      return { path: child(instancePath, params.additionalProperty), message: "is not a known field" };
    case "format":
      return { path: instancePath, message: FORMATS[params.format as keyof typeof FORMATS].message };
    case "type":
      return { path: instancePath, message: `must be ${typeName(params.type)}` };
    case "discriminator":
      return { path: child(instancePath, params.tag), message: oneOf(params.allowedValues) };
    default:
      return { path: instancePath, message: describeBound(keyword, params) };
  }
}

function describeBound(keyword: string, params: Readonly<Record<string, unknown>>): string {
  switch (keyword) {
    case "minLength":
      return `must have at least ${count(params.limit, "character", "characters")}`;
    case "maxLength":
      return `must have at most ${count(params.limit, "character", "characters")}`;
    case "exclusiveMinimum":
      return `must be more than ${params.limit}`;
    case "minimum":
      return `must be at least ${params.limit}`;
    case "maximum":
      return `must be at most ${params.limit}`;
    case "minItems":
      return `must have at least ${count(params.limit, "entry", "entries")}`;
    case "maxItems":
      return `must have at most ${count(params.limit, "entry", "entries")}`;
    case "uniqueItems":
      return "must not have an entry twice";
    case "maxProperties":
      return `must have at most ${count(params.limit, "key", "keys")}`;
    case "pattern":
      return `must match ${params.pattern}`;
    case "enum":
      return oneOf(params.allowedValues);
    case "not":
      return "must not have cleared_at together with reverted_at";
    case "oneOf":
      // The generator puts the schema's own `$comment` here, because only the schema knows which forms there
      // are.
      return String(params.comment);
    case "propertyNames":
      return "has a key that is empty, too long or not printable";
    default:
      return "is not valid";
  }
}

function oneOf(values: unknown): string {
  return `must be one of ${(values as unknown[]).join(", ")}`;
}

function count(limit: unknown, one: string, many: string): string {
  return `${limit} ${limit === 1 ? one : many}`;
}

function typeName(type: unknown): string {
  return Array.isArray(type) ? type.join(" or ") : String(type);
}

/** JSON pointer escaping (RFC 6901). */
function child(path: string, name: unknown): string {
  // Half of a surrogate pair, sent or made by the cut, would give an answer that strict JSON readers refuse.
  const shown = String(name).slice(0, SHOWN_NAME_LENGTH).toWellFormed();
  return `${path}/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
