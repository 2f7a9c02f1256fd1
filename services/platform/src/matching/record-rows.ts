import type { Same } from "#contract/codec";
import type { TransactionState } from "#domain";
import { constantText, type Fragment, type Sql } from "#postgres";
import type { PurchaseRecord } from "../rules/merge-record.ts";
import { compareTexts } from "../rules/pair-by-nearest-time.ts";

/**
 * Sorts halves by their UUIDs. All code locks and inserts several halves in this order, and records before
 * payments, so that database transactions never deadlock.
 */
export const compareIds = compareTexts;

/** A row of `platform.records`, for the statements here. */
export interface RecordRow {
  readonly transactionId: string;
  readonly retailerId: string;
  readonly shared: boolean;
  readonly state: TransactionState;
  readonly merchantId: string;
  readonly statementDescriptor: string | null;
  /** Microseconds since 1970. */
  readonly authedAt: number;
  readonly identifiers: Uint8Array;
  readonly clips: readonly string[] | null;
  readonly enrolments: readonly string[] | null;
  readonly outcomes: readonly string[] | null;
}

interface Column {
  readonly field: keyof RecordRow;
  readonly name: string;
  readonly type: string;
  /** No later record of the transaction changes it. */
  readonly fixed?: true;
}

/** The columns of a `RecordRow`. The statements about records are made of this list. */
const COLUMNS = [
  { field: "transactionId", name: "transaction_id", type: "uuid", fixed: true },
  { field: "retailerId", name: "retailer_id", type: "uuid" },
  { field: "shared", name: "shared", type: "boolean" },
  { field: "state", name: "state", type: "text" },
  { field: "merchantId", name: "merchant_id", type: "text" },
  { field: "statementDescriptor", name: "statement_descriptor", type: "text" },
  { field: "authedAt", name: "authed_at", type: "timestamptz", fixed: true },
  { field: "identifiers", name: "identifiers", type: "bytea" },
  { field: "clips", name: "clips", type: "uuid[]" },
  { field: "enrolments", name: "enrolments", type: "uuid[]" },
  { field: "outcomes", name: "outcomes", type: "uuid[]" },
] as const satisfies readonly Column[];

/** Does not compile if the list lacks a field of a row. */
export const EVERY_FIELD_HAS_A_COLUMN: Same<(typeof COLUMNS)[number]["field"], keyof RecordRow> = true;

const textOf = (write: (column: Column) => string, columns: readonly Column[] = COLUMNS) =>
  constantText(columns.map(write).join(", "));

/** The columns of a `RecordRow`, of a table or alias `r`. */
export const recordColumns: (sql: Sql) => Fragment = textOf(({ field, name, type }) => {
  const column = type === "timestamptz" ? `(extract(epoch from r.${name}) * 1000000)::bigint` : `r.${name}`;
  return `${column} as "${field}"`;
});

/** Their names, for an insert … */
export const recordNames: (sql: Sql) => Fragment = textOf(({ name }) => name);

/** … their values from `recordInput` … */
export const recordValues: (sql: Sql) => Fragment = textOf(({ name, type }) =>
  type === "timestamptz" ? `timestamptz 'epoch' + ${name} * interval '1 microsecond'` : name,
);

/** … and the assignments of an update. */
export const recordUpdates: (sql: Sql) => Fragment = textOf(
  ({ name }) => `${name} = input.${name}`,
  COLUMNS.filter((column: Column) => !column.fixed),
);

/** Microseconds since 1970 as a timestamptz; exact, because they are below 2^53. */
export function timestampOf(sql: Sql, column: string): Fragment {
  return sql`timestamptz 'epoch' + ${sql(column)} * interval '1 microsecond'`;
}

export function toRecord(row: RecordRow): PurchaseRecord {
  return {
    transactionId: row.transactionId,
    route: { retailerId: row.retailerId, shared: row.shared },
    state: row.state,
    merchantId: row.merchantId,
    statementDescriptor: row.statementDescriptor,
    // Not stored for a settled record: its descriptor stays unless an earlier one comes.
    isFirstDescriptor: row.state === "authorized",
    authedAt: row.authedAt,
    identifiers: splitIdentifiers(row.identifiers),
    clips: toLinks(row.clips),
    enrolments: toLinks(row.enrolments),
  };
}

/** A record for `recordInput`. */
export type RecordInput = Record<(typeof COLUMNS)[number]["name"] | "is_open", unknown>;

/** @param isOpen it waits for its payment */
export function writeRecordRow(
  record: PurchaseRecord,
  outcomes: readonly string[],
  isOpen: boolean,
): RecordInput {
  return {
    transaction_id: record.transactionId,
    retailer_id: record.route.retailerId,
    shared: record.route.shared,
    state: record.state,
    merchant_id: record.merchantId,
    statement_descriptor: record.statementDescriptor,
    authed_at: record.authedAt,
    identifiers: joinIdentifiers(record.identifiers),
    clips: fromLinks(record.clips),
    enrolments: fromLinks(record.enrolments),
    outcomes: outcomes.length === 0 ? null : outcomes,
    is_open: isOpen,
  };
}

const inputTypes = textOf(({ name, type }) => `${name} ${type === "timestamptz" ? "bigint" : type}`);

/** Rows as a table `input`; times are microseconds since 1970. */
export function recordInput(sql: Sql, rows: readonly RecordInput[]): Fragment {
  return sql`
    json_to_recordset(${JSON.stringify(rows)}::text::json) as input (${inputTypes(sql)}, is_open boolean)`;
}

const IDENTIFIER_BYTES = 32;

/** Identifiers, each in hex, as one text that the database reads as bytes. */
export function joinIdentifiers(identifiers: readonly string[]): string {
  return `\\x${identifiers.join("")}`;
}

export function splitIdentifiers(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  const digits = 2 * IDENTIFIER_BYTES;
  return Array.from({ length: hex.length / digits }, (_, i) => hex.slice(i * digits, (i + 1) * digits));
}

function toLinks(flat: readonly string[] | null): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (let i = 0; flat !== null && i < flat.length; i += 2)
    links.set(flat[i] as string, flat[i + 1] as string);
  return links;
}

/** Links as pairs of ids, sorted, so that equal links make equal rows. */
function fromLinks(links: ReadonlyMap<string, string>): readonly string[] | null {
  if (links.size === 0) return null;
  return [...links].sort(([a], [b]) => (a < b ? -1 : 1)).flat();
}

/**
 * Adds the keys under which payments find open records. The caller has locked the records. The wait counts from the record's
 * arrival, however new its keys are.
 */
export async function addRecordKeys(sql: Sql, transactionIds: readonly string[]): Promise<void> {
  await sql`
    insert into platform.open_records (key, authed_at, arrived_at, transaction_id)
    select key, authed_at, arrived_at, transaction_id
    from platform.records cross join lateral platform.open_keys(retailer_id, identifiers, null) as key
    where transaction_id = any(${transactionIds}::uuid[]) and is_open`;
}

/** Removes the keys that follow from the records' current rows. The caller has locked the records. */
export async function deleteRecordKeys(sql: Sql, transactionIds: readonly string[]): Promise<void> {
  await sql`
    delete from platform.open_records o
    using platform.records r cross join lateral platform.open_keys(r.retailer_id, r.identifiers, null) as k (key)
    where r.transaction_id = any(${transactionIds}::uuid[])
      and o.key = k.key and o.authed_at = r.authed_at and o.transaction_id = r.transaction_id`;
}

/** The same for payments. */
export async function deletePaymentKeys(sql: Sql, paymentIds: readonly string[]): Promise<void> {
  await sql`
    delete from platform.open_payments o
    using platform.payments p cross join lateral platform.open_keys(p.retailer_id, p.identifiers, p.bin_digits) as k (key)
    where p.id = any(${paymentIds}::uuid[])
      and o.key = k.key and o.paid_at = p.paid_at and o.payment_id = p.id`;
}
