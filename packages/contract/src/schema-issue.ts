import type { Issue } from "./errors.ts";
import { findViolations, type SchemaViolation } from "./find-violations.ts";
import { FORMATS } from "./formats.ts";
import { LIMITS } from "./limits.ts";

/** The length to which an unknown property name is cut in an issue. */
const SHOWN_NAME_LENGTH = 64;

/** Words a violation for the integrator. Never repeats values: they may be card data. */
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
      // The generator puts the schema's own `$comment` here: only the schema knows its forms.
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
  // Half of a surrogate pair, from the body or from the cut, would make an answer that strict JSON readers
  // refuse.
  const shown = String(name).slice(0, SHOWN_NAME_LENGTH).toWellFormed();
  return `${path}/${shown.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export type { SchemaViolation };

/** A generated validator, with its schema. */
export interface Validate {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
  readonly schema?: object;
}

/** The issues of a request. */
export interface RequestIssues {
  /** At least one; at most `LIMITS.issuesPerAnswer`. */
  readonly issues: readonly [Issue, ...Issue[]];
  readonly total: number;
}

/**
 * All issues of a body that `validate` has just refused, so that a file can be cleaned in one go (contract,
 * section 6). A validator stops at its first violation, which bounds the cost of a hostile body. So for a
 * larger than ordinary body this reports only the first; and if that is in an entry of a list, also the first
 * of each later entry.
 * @param bodyBytes the size of the body
 */
export function findIssues(validate: Validate, body: unknown, bodyBytes: number): RequestIssues {
  const first = violationOf(validate);
  if (bodyBytes > LIMITS.ordinaryBodyBytes || validate.schema === undefined) {
    return issuesOfEntries(validate, body, first);
  }
  const { issues, total } = findViolations(validate.schema, body, LIMITS.issuesPerAnswer);
  const found = issues.map(describeViolation);
  const others = found.filter(({ path }) => path !== first.path);
  const isAmong = others.length < found.length;
  return {
    issues: [first, ...others.slice(0, LIMITS.issuesPerAnswer - 1)],
    total: isAmong ? total : total + 1,
  };
}

/**
 * Validates each entry after the first bad one alone, in an otherwise equal body: together they cost as much
 * as one valid body.
 */
function issuesOfEntries(validate: Validate, body: unknown, first: Issue): RequestIssues {
  const [, entries = "", failed] = /^\/([^/]+)\/(\d+)/.exec(first.path) ?? [];
  if (failed === undefined) return { issues: [first], total: 1 };
  const envelope = body as Readonly<Record<string, unknown>>;
  const list = envelope[entries] as readonly unknown[];
  const issues: [Issue, ...Issue[]] = [first];
  let total = 1;
  let beside: Issue | undefined;
  for (let index = Number(failed) + 1; index < list.length; index++) {
    if (validate({ ...envelope, [entries]: [list[index]] })) continue;
    const issue = violationOf(validate);
    if (!issue.path.startsWith(`/${entries}/0`)) {
      // The entry is valid, and something outside the list is not: that is one issue, not one for each entry.
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

/** Of several violations (with `oneOf`), the last one describes the whole. */
function violationOf({ errors }: Validate): Issue {
  return describeViolation(errors?.at(-1) as SchemaViolation);
}

/** Moves an issue of entry 0 to the entry at `index`. */
function moved(issue: Issue, entries: string, index: number): Issue {
  return { ...issue, path: `/${entries}/${index}${issue.path.slice(`/${entries}/0`.length)}` };
}
