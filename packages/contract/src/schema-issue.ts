import type { Issue } from "./errors.ts";
import { FORMATS } from "./formats.ts";
import { LIMITS } from "./limits.ts";

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
      // The generator puts the schema's own `$comment` here: only the schema knows which forms there are.
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

/** A generated validator. */
export interface Validate {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

/** What is wrong with a request, and with how many of its entries. */
export interface RequestIssues {
  /** At least one; at most `LIMITS.issuesPerAnswer`. */
  readonly issues: readonly [Issue, ...Issue[]];
  readonly total: number;
}

/**
 * The issues of a body that `validate` has just refused: the first violation; and if that lies in an entry of
 * the list `entries`, also the first violation of each entry behind it, so that a file can be cleaned in one
 * go (contract, section 6).
 *
 * A validator stops at its first violation, which bounds what a hostile body costs. So each further entry is
 * shown to it alone, in a body that is otherwise the same: together they cost as much as one valid body.
 */
export function findIssues(validate: Validate, body: unknown, entries: string | undefined): RequestIssues {
  const first = violationOf(validate);
  const failed = entries === undefined ? undefined : indexIn(first.path, entries);
  if (entries === undefined || failed === undefined) return { issues: [first], total: 1 };
  const envelope = body as Readonly<Record<string, unknown>>;
  const list = envelope[entries] as readonly unknown[];
  const issues: [Issue, ...Issue[]] = [first];
  let total = 1;
  let beside: Issue | undefined;
  for (let index = failed + 1; index < list.length; index++) {
    if (validate({ ...envelope, [entries]: [list[index]] })) continue;
    const issue = violationOf(validate);
    if (indexIn(issue.path, entries) === undefined) {
      // The entry is valid, and something beside the list is not: that is one issue, not one for each entry.
      beside = issue;
      continue;
    }
    total += 1;
    if (issues.length < LIMITS.issuesPerAnswer) issues.push(moved(issue, entries, index));
  }
  if (beside === undefined) return { issues, total };
  if (issues.length < LIMITS.issuesPerAnswer) issues.push(beside);
  return { issues, total: total + 1 };
}

/** Of several violations (with `oneOf`), the last one stands for the whole. */
function violationOf({ errors }: Validate): Issue {
  return describeViolation(errors?.at(-1) as SchemaViolation);
}

/** 3 for `/events/3/bin`; undefined for a path that leads into no entry. */
function indexIn(path: string, entries: string): number | undefined {
  const [start, list, index] = path.split("/", 3);
  return start === "" && list === entries && index !== undefined ? Number(index) : undefined;
}

/** Moves an issue of entry 0 to the entry at `index`. */
function moved(issue: Issue, entries: string, index: number): Issue {
  return { ...issue, path: `/${entries}/${index}${issue.path.slice(`/${entries}/0`.length)}` };
}
