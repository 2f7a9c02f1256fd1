import type { TransactionEvent, TransactionState } from "#domain";
import type { Fragment, Sql } from "#postgres";

/**
 * One event as the bulk statements take it, a member of a JSON array. Identifiers are in hex with Postgres' `\x`
 * before them, timestamps are normalised UTC texts. `ord` is the caller's number for it.
 */
export interface EventRow {
  readonly ord: number;
  /** For the row, should this event create it: `transactionId` of its key. */
  readonly id: string;
  readonly organisation_id: string;
  /** Null when the id in the event is none of ours; such an event has no member. */
  readonly member_id: string | null;
  readonly external_id: string;
  readonly state: TransactionState;
  readonly network: string;
  readonly merchant_id: string;
  readonly statement_descriptor: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly authed_at: string;
  readonly cleared_at: string | null;
  readonly reverted_at: string | null;
  readonly identifier_6: string;
  readonly identifier_8: string | null;
}

/** What the lifecycle function sees of a row. */
export function toEvent(row: EventRow): TransactionEvent {
  return {
    memberId: row.member_id ?? "",
    network: row.network,
    merchantId: row.merchant_id,
    statementDescriptor: row.statement_descriptor,
    amount: row.amount,
    currency: row.currency,
    authedAt: row.authed_at,
    clearedAt: row.cleared_at,
    revertedAt: row.reverted_at,
    identifier6: row.identifier_6,
    identifier8: row.identifier_8,
  };
}

/**
 * Rows as the JSON text that the bulk statements take. Written by hand with one-letter keys, because this is where the
 * database's time goes: reading the same rows with full names and timestamps as text took it 12 µs each, this 9 µs. Absent
 * keys are null. Timestamps are microseconds since 1970, exact in a JSON number.
 */
export function writeEventRows(rows: readonly EventRow[]): string {
  let json = "[";
  for (const row of rows) json += (json.length > 1 ? "," : "") + writeRow(row);
  return `${json}]`;
}

function writeRow(row: EventRow): string {
  // Ids, states, networks, currencies and hashes hold nothing that JSON escapes, but for the backslash of `\\x`.
  let json = `{"a":${row.ord},"b":"${row.id}","c":"${row.organisation_id}","e":${JSON.stringify(row.external_id)}`;
  json += `,"f":"${row.state}","g":"${row.network}","h":${JSON.stringify(row.merchant_id)}`;
  json += `,"l":${toMicroseconds(row.authed_at)},"o":"\\${row.identifier_6}"`;
  if (row.member_id !== null) json += `,"d":"${row.member_id}"`;
  if (row.statement_descriptor !== null) json += `,"i":${JSON.stringify(row.statement_descriptor)}`;
  if (row.amount !== null) json += `,"j":${row.amount}`;
  if (row.currency !== null) json += `,"k":"${row.currency}"`;
  if (row.cleared_at !== null) json += `,"m":${toMicroseconds(row.cleared_at)}`;
  if (row.reverted_at !== null) json += `,"n":${toMicroseconds(row.reverted_at)}`;
  if (row.identifier_8 !== null) json += `,"p":"\\${row.identifier_8}"`;
  return `${json}}`;
}

type WrittenRow = Record<"b" | "c" | "e" | "f" | "g" | "h" | "o", string> &
  Record<"a" | "l", number> &
  Partial<Record<"d" | "i" | "k" | "p", string>> &
  Partial<Record<"j" | "m" | "n", number>>;

/** The rows of a text that `writeEventRows` made. */
export function readEventRows(json: string): EventRow[] {
  return (JSON.parse(json) as WrittenRow[]).map((row) => ({
    ord: row.a,
    id: row.b,
    organisation_id: row.c,
    member_id: row.d ?? null,
    external_id: row.e,
    state: row.f as TransactionState,
    network: row.g,
    merchant_id: row.h,
    statement_descriptor: row.i ?? null,
    amount: row.j ?? null,
    currency: row.k ?? null,
    authed_at: fromMicroseconds(row.l),
    cleared_at: row.m === undefined ? null : fromMicroseconds(row.m),
    reverted_at: row.n === undefined ? null : fromMicroseconds(row.n),
    identifier_6: row.o,
    identifier_8: row.p ?? null,
  }));
}

/** @param text `2026-01-31T09:30:00.123456Z`, as `toUtcMicroseconds` of `#domain` makes it */
function toMicroseconds(text: string): number {
  return Date.parse(`${text.slice(0, 19)}Z`) * 1000 + Number(text.slice(20, 26));
}

function fromMicroseconds(microseconds: number): string {
  const fraction = ((microseconds % 1_000_000) + 1_000_000) % 1_000_000;
  const seconds = new Date((microseconds - fraction) / 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, "0")}Z`;
}

/**
 * Such a text as a table `i` with the columns of `EventRow`. It is cast twice because postgres.js would encode a json
 * parameter a second time.
 */
export function eventTable(sql: Sql, json: string): Fragment {
  return sql`(
    select
      a as ord, b as id, c as organisation_id, d as member_id, e as external_id, f as state, g as network,
      h as merchant_id, i as statement_descriptor, j as amount, k as currency,
      timestamptz 'epoch' + l * interval '1 microsecond' as authed_at,
      timestamptz 'epoch' + m * interval '1 microsecond' as cleared_at,
      timestamptz 'epoch' + n * interval '1 microsecond' as reverted_at,
      o as identifier_6, p as identifier_8
    from json_to_recordset(${json}::text::json) as written (
      a int, b uuid, c uuid, d uuid, e text, f text, g text, h text, i text, j bigint, k text, l bigint, m bigint,
      n bigint, o bytea, p bytea
    )
  ) i`;
}
