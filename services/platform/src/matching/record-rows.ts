import type { TransactionState } from "#domain";
import { type Fragment, microsecondsSince1970, type Sql } from "#postgres";
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

const IDENTIFIER_BYTES = 32;

/** The columns of a `RecordRow`, of a table or alias `r`. */
export function recordColumns(sql: Sql): Fragment {
  return sql`
    r.transaction_id as "transactionId", r.retailer_id as "retailerId", r.shared, r.state,
    r.merchant_id as "merchantId", r.statement_descriptor as "statementDescriptor",
    ${microsecondsSince1970(sql, "r.authed_at")} as "authedAt", r.identifiers, r.clips, r.enrolments, r.outcomes`;
}

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

/** The fields of a record for a statement, as a row of JSON. */
export function writeRecordRow(record: PurchaseRecord, outcomes: readonly string[]): Record<string, unknown> {
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
  };
}

/** Rows of `writeRecordRow` as a table `input`. */
export function recordInput(sql: Sql, rows: readonly Record<string, unknown>[]): Fragment {
  return sql`
    json_to_recordset(${JSON.stringify(rows)}::text::json) as input (
      transaction_id uuid, retailer_id uuid, shared boolean, state text, merchant_id text,
      statement_descriptor text, authed_at bigint, identifiers bytea, clips uuid[], enrolments uuid[],
      outcomes uuid[], is_open boolean
    )`;
}

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
