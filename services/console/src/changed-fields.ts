import { createHash } from "node:crypto";
import { LIMITS } from "#contract";

/** Fields that the console shows in no answer and keeps in no line of its audit. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set(["token", "secret", "secrets", "auth_code", "bin"]);

/**
 * A field that a change sets to another value, named by its path: `rules.min_amount`. An absent value is null. A list of texts
 * has the removed and the added texts; a secret has no values.
 */
export type FieldChange =
  | { readonly field: string; readonly old: unknown; readonly new: unknown }
  | { readonly field: string; readonly removed: unknown; readonly added: unknown }
  | { readonly field: string; readonly secret: true };

/** A record, or a request that changes one: a JSON object. */
type Body = Readonly<Record<string, unknown>>;

/** Fields that the API sets. */
const KEPT_BY_API: ReadonlySet<string> = new Set(["id", "created_at", "updated_at", "deleted_at"]);

/** The values of fields that a caller leaves out. */
const DEFAULTS: Readonly<Record<string, string>> = {
  statement_descriptors: "[]",
  "rules.confirmation": '"retailer"',
  "rules.retroactive": "false",
};

/**
 * How a request changes a record.
 * - `update`: fields that it does not name stay. - `replace`: they go. - `delete`: all of them go.
 */
export type ChangeForm = "update" | "replace" | "delete";

/** Compares a record, undefined if there is none yet, with the result of a request. */
export function changedFields(before: Body | undefined, request: Body, form: ChangeForm): FieldChange[] {
  const old = fieldsOf(before ?? {});
  const wanted = form === "delete" ? new Map<string, unknown>() : fieldsOf(request);
  const names = form === "update" ? [...wanted.keys()] : [...new Set([...wanted.keys(), ...old.keys()])];
  return names.slice(0, MOST_FIELDS).flatMap((name) => changeOf(name, old.get(name), wanted.get(name), form));
}

/** More than any record has. The audit keeps the first of a request with more, which the API refuses. */
const MOST_FIELDS = 200;

function changeOf(field: string, old: unknown, wanted: unknown, form: ChangeForm): FieldChange[] {
  if (isSame(old, wanted)) return [];
  if (form === "replace" && DEFAULTS[field] === JSON.stringify(old ?? wanted)) return [];
  if (SECRET_FIELDS.has(field.slice(field.lastIndexOf(".") + 1))) return [{ field, secret: true }];
  if (isTexts(old ?? []) && isTexts(wanted ?? []) && (isTexts(old) || isTexts(wanted))) {
    const [had, has] = [new Set((old ?? []) as string[]), new Set((wanted ?? []) as string[])];
    const removed = [...had].filter((text) => !has.has(text));
    const added = [...has].filter((text) => !had.has(text));
    return removed.length + added.length === 0
      ? []
      : [{ field, removed: bounded(removed), added: bounded(added) }];
  }
  return [{ field, old: bounded(old ?? null), new: bounded(wanted ?? null) }];
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string");

/** Objects are taken apart, so that one changed text is one changed field. */
function fieldsOf(record: Body, path = "", into = new Map<string, unknown>()): Map<string, unknown> {
  for (const [name, value] of Object.entries(record)) {
    if (path === "" && KEPT_BY_API.has(name)) continue;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && path.split(".").length < DEEPEST) fieldsOf(value as Body, `${path}${name}.`, into);
    else into.set(`${path}${name}`, value);
  }
  return into;
}

/** Deeper than any record of the two APIs. */
const DEEPEST = 5;

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** A value that is too long for a line is kept as its beginning, its length and its SHA-256. Never with what jsonb refuses. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text.length <= LIMITS.consoleAuditValueLength) return storable(value);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { begins: storable(text.slice(0, LIMITS.consoleAuditValueLength / 4)), length: text.length, sha256 };
}

/** PostgreSQL stores no U+0000 and no half of a surrogate pair. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\u{FFFD}");
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [storable(name), storable(entry)] as const),
  );
}

/** A change in a line of the audit: `state: enabled → paused`; of a list, the removed and the added texts. */
export function changeWords(change: FieldChange): string {
  if ("secret" in change) return `${change.field}: another secret`;
  if ("added" in change) {
    const words = [...wordsOf("without", change.removed), ...wordsOf("with", change.added)];
    return `${change.field}: ${words.join(", ")}`;
  }
  return `${change.field}: ${valueWords(change.old)} → ${valueWords(change.new)}`;
}

function wordsOf(word: string, values: unknown): string[] {
  if (!Array.isArray(values)) return [`${word} ${valueWords(values)}`];
  return values.length === 0 ? [] : [`${word} ${values.join(", ")}`];
}

/** A value that was too long has its beginning. */
function valueWords(value: unknown): string {
  if (value === null || value === "") return "nothing";
  if (typeof value === "string") return value;
  if (typeof value !== "object" || !("begins" in value)) return JSON.stringify(value);
  const { begins, length } = value as unknown as { begins: string; length: number };
  return `${begins}… (${length} characters)`;
}
