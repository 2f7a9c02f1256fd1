import type { TransactionEvent } from "#client";
import { describeViolation, VALIDATORS, type Validate } from "#contract/validation";
import { CommandError } from "../command-error.ts";
import { scaleOf, toMinorUnits } from "./amount.ts";
import { FIELDS, type Field, type ImportMap, PLAIN_MAP, TIME_FIELDS } from "./import-map.ts";
import { LocalTimes } from "./local-time.ts";
import { UnreadableValue } from "./source-row.ts";
import { type ReadTime, timeReader } from "./time-format.ts";

/** Why a row is rejected. */
export interface Rejection {
  /**
   * `unreadable`: the row could not be turned into an event. `bad_request`: the event breaks the schema. Otherwise the code of
   * the service's refusal.
   */
  readonly code: string;
  /** Rejections are counted by it, so it takes few values. Holds no data of the row. */
  readonly reason: string;
  /** About this row, without card data. */
  readonly detail?: string;
}

export type MappedRow =
  | { readonly event: TransactionEvent; readonly memberRef: string | undefined }
  | { readonly rejection: Rejection };

/** A row in its file, by column. */
type RawRow = Readonly<Record<string, unknown>>;

/** The decoder's replacement for bytes that are not in the encoding. */
const REPLACEMENT = "\ufffd";

/** Turns rows into events by a map, and validates them by the API's schema. */
export class RowMapper {
  readonly #map: ImportMap | undefined;
  readonly #byRef: boolean;
  readonly #readTime: ReadTime;
  readonly #sources: ReadonlyArray<readonly [Field, readonly string[]]>;

  /**
   * @param map undefined if rows are events already
   * @param byRef whether rows name members by ref
   */
  constructor(map: ImportMap | undefined, byRef: boolean) {
    this.#map = map;
    this.#byRef = byRef;
    const { time, columns, constants } = map ?? PLAIN_MAP;
    const { zone, disambiguation } = time;
    const local = zone === undefined ? undefined : new LocalTimes(zone, disambiguation);
    this.#readTime = timeReader(time.format, local);
    const named = columns ?? new Map(FIELDS.map((field) => [field, [field]]));
    this.#sources = [...named].filter(([field]) => !constants.has(field));
    if (byRef) return;
    const place = columns?.get("member_ref")?.map((column) => map?.placeOf(column))[0];
    if (columns?.has("member_ref") || constants.has("member_ref")) {
      throw new CommandError(
        `${place ?? "the map"}: names member_ref: give the memberbase of these refs with --member-base`,
      );
    }
  }

  /** @param row as the reader of the file's format gives it; if it is no object, it is rejected */
  map(row: unknown): MappedRow {
    if (typeof row !== "object" || row === null || Array.isArray(row)) {
      return { rejection: { code: "unreadable", reason: "is no JSON object" } };
    }
    try {
      const draft = this.#map === undefined ? { ...row } : this.#read(row as RawRow, this.#map);
      return this.#check(draft as Record<string, unknown>);
    } catch (error) {
      if (!(error instanceof UnreadableValue)) throw error;
      const { message: reason, detail } = error;
      return { rejection: { code: "unreadable", reason, ...(detail !== undefined && { detail }) } };
    }
  }

  #read(row: RawRow, map: ImportMap): Record<string, unknown> {
    const draft: Record<string, unknown> = {};
    if (map.columns === undefined) refuseUnknown(row);
    for (const [field, constant] of map.constants) put(draft, field, constant);
    for (const [field, columns] of this.#sources) put(draft, field, sourceValue(row, field, columns, map));
    for (const field of TIME_FIELDS) {
      if (draft[field] !== undefined) draft[field] = reading(field, () => this.#readTime(draft[field]));
    }
    if (draft.amount !== undefined) {
      draft.amount = reading("amount", () => {
        const scale = scaleOf(map.amount, draft.currency as string | undefined);
        return toMinorUnits(draft.amount, scale, map.amount);
      });
    }
    return draft;
  }

  /** Removes the ref, which is no field of the API, and validates the rest. */
  #check(draft: Record<string, unknown>): MappedRow {
    let memberRef: string | undefined;
    if (this.#byRef && draft.member_ref !== undefined) {
      if (draft.member_id !== undefined) return invalid("has member_id beside member_ref");
      const fault = violation(VALIDATORS["member/bulk-upsert"], toUpsert(draft.member_ref), "/members/0/ref");
      if (fault !== undefined) return invalid(`member_ref ${fault}`);
      memberRef = draft.member_ref as string;
      delete draft.member_ref;
      draft.member_id = "";
    } else if (this.#byRef && draft.member_id === undefined) {
      return invalid("member_ref is required");
    }
    const fault = violation(VALIDATORS["transaction/ingest"], { events: [draft] }, "/events/0");
    if (fault !== undefined) return invalid(fault.replace(/^\//, ""));
    return { event: draft as unknown as TransactionEvent, memberRef };
  }
}

function invalid(reason: string): MappedRow {
  return { rejection: { code: "bad_request", reason } };
}

const toUpsert = (ref: unknown) => ({ member_base_id: "", members: [{ ref }] });

/** The violation of a schema below this path: `/bin must match …`; undefined if there is none. */
function violation(validate: Validate, body: unknown, below: string): string | undefined {
  if (validate(body)) return undefined;
  const last = validate.errors?.at(-1);
  if (last == null) return "is not valid";
  const { path, message } = describeViolation(last);
  return `${path.slice(below.length)} ${message}`.trim();
}

/** For files without a header, in which each row may have other keys. */
function refuseUnknown(row: RawRow): void {
  const isUnknown = Object.keys(row).some((key) => !KNOWN.has(key));
  if (isUnknown)
    throw new UnreadableValue("has a key that is no field: name the keys to read in the map (columns)");
}

const KNOWN: ReadonlySet<string> = new Set(FIELDS);

/** Names the field in the fault of its value. */
function reading<T>(field: Field, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    throw new UnreadableValue(`${field} ${error.message}`, error.detail);
  }
}

function put(draft: Record<string, unknown>, field: Field, value: unknown): void {
  if (value !== undefined && value !== "") draft[field] = value;
}

/** A number if the field is an amount or a time; otherwise text, by the map's table if it has one. */
function sourceValue(
  row: RawRow,
  field: Field,
  columns: readonly string[],
  { values, csv }: ImportMap,
): unknown {
  const [first = ""] = columns;
  const single = columns.length === 1 ? row[first] : undefined;
  if (typeof single === "number" && (field === "amount" || TIME_FIELDS.includes(field))) return single;
  const texts = columns.map((column) => reading(field, () => toText(row[column])));
  const joined = texts.filter((text) => text !== "").join(" ");
  const text = csv.trim ? joined.trim() : joined;
  const table = values.get(field);
  return table === undefined ? text : (table.get(text) ?? table.get("*") ?? text);
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value !== "string") throw new UnreadableValue("must be text");
  if (!value.includes(REPLACEMENT)) return value;
  throw new UnreadableValue("holds bytes that are not of the file's encoding (csv.encoding of the map)");
}
