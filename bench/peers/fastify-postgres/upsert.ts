import type { Sql } from "postgres";
import type { Transaction, TransactionState } from "#domain";
import type { StoredRow } from "../peer-app.ts";

/** One event in the form of the upsert. Identifiers in hex with `\x` before them, timestamps as UTC texts. */
export interface PeerRow {
  readonly ord: number;
  readonly id: string;
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

/**
 * One statement for all rows of a request, in key order so that concurrent ones cannot deadlock. The rows are
 * one JSON parameter, the plain way with postgres.js; a copy, which costs the database less
 * (docs/decisions/0008), has no `on conflict`. The parameter is text, because postgres.js would encode a json
 * parameter twice. No two rows of one `external_id`.
 * @param hasOutbox whether the same commit puts the anonymised record of each changed row into the outbox
 * @returns the rows that changed
 */
export function upsert(
  sql: Sql,
  organisation: string,
  rows: readonly PeerRow[],
  hasOutbox: boolean,
): Promise<readonly { ord: number; created: boolean }[]> {
  return sql<{ ord: number; created: boolean }[]>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as i (
        ord int, id uuid, member_id uuid, external_id text, state text, network text, merchant_id text,
        statement_descriptor text, amount bigint, currency text, authed_at timestamptz, cleared_at timestamptz,
        reverted_at timestamptz, identifier_6 bytea, identifier_8 bytea
      )
    ),
    applied as (
      insert into transactions as t (
        organisation_id, id, member_id, external_id, state, network, merchant_id, statement_descriptor,
        amount, currency, authed_at, cleared_at, reverted_at, identifier_6, identifier_8
      )
      select ${organisation}::uuid, i.id, i.member_id, i.external_id, i.state, i.network, i.merchant_id,
        i.statement_descriptor, i.amount, i.currency, i.authed_at, i.cleared_at, i.reverted_at, i.identifier_6,
        i.identifier_8
      from input i
      join members m on m.id = i.member_id and m.organisation_id = ${organisation}::uuid
      order by i.external_id collate "C"
      on conflict (organisation_id, external_id) do update set
        updated_at = now(),
        state = case when t.state = 'authorized' then excluded.state else t.state end,
        cleared_at = coalesce(t.cleared_at, excluded.cleared_at),
        reverted_at = coalesce(t.reverted_at, excluded.reverted_at),
        amount = case when t.state <> excluded.state and excluded.state <> 'authorized'
          then coalesce(excluded.amount, t.amount) else coalesce(t.amount, excluded.amount) end,
        currency = case when t.state <> excluded.state and excluded.state <> 'authorized'
          then coalesce(excluded.currency, t.currency) else coalesce(t.currency, excluded.currency) end,
        statement_descriptor = case when t.state <> excluded.state and excluded.state <> 'authorized'
          then coalesce(excluded.statement_descriptor, t.statement_descriptor)
          else coalesce(t.statement_descriptor, excluded.statement_descriptor) end,
        identifier_8 = coalesce(t.identifier_8, excluded.identifier_8)
      where t.member_id = excluded.member_id
        and t.identifier_6 = excluded.identifier_6
        and (t.state = 'authorized' or excluded.state in ('authorized', t.state))
        and (
          (t.state = 'authorized' and excluded.state <> 'authorized')
          or (t.amount is null and excluded.amount is not null)
          or (t.currency is null and excluded.currency is not null)
          or (t.statement_descriptor is null and excluded.statement_descriptor is not null)
          or (t.identifier_8 is null and excluded.identifier_8 is not null)
        )
      returning t.external_id, t.id ${hasOutbox ? recorded(sql) : sql``}
    )
    ${hasOutbox ? told(sql) : sql``}
    select i.ord, a.id = i.id as created from applied a join input i using (external_id)`;
}

/** The fields of a row in its record. */
function recorded(sql: Sql) {
  return sql`, t.identifier_6, t.identifier_8, t.merchant_id, t.statement_descriptor, t.authed_at, t.cleared_at, t.reverted_at`;
}

function told(sql: Sql) {
  return sql`, told as (
      insert into outbox (record)
      select json_build_object(
        'transaction_id', id, 'identifiers', array_remove(array[encode(identifier_6, 'hex'), encode(identifier_8, 'hex')], null),
        'merchant_id', merchant_id, 'statement_descriptor', statement_descriptor, 'authed_at', authed_at,
        'cleared_at', cleared_at, 'reverted_at', reverted_at, 'clips', '[]'::json, 'stamp_collections', '[]'::json
      )::text
      from applied
    )`;
}

/** The stored rows that the upsert did not change, and which of their members exist. */
export async function loadStored(
  sql: Sql,
  organisation: string,
  rows: readonly PeerRow[],
): Promise<{ readonly transactions: Map<string, Transaction>; readonly members: Set<string | null> }> {
  const keys = rows.map((row) => row.external_id);
  const memberIds = rows.flatMap((row) => row.member_id ?? []);
  // Both are sent before either is answered.
  const [stored, members] = await Promise.all([
    sql<StoredRow[]>`
      select external_id, member_id, state, network, merchant_id, statement_descriptor, amount, currency,
        authed_at, cleared_at, reverted_at, identifier_6, identifier_8
      from transactions
      where organisation_id = ${organisation} and external_id = any(${keys}::text[])`,
    sql<{ id: string }[]>`
      select id from members where organisation_id = ${organisation} and id = any(${memberIds}::uuid[])`,
  ]);
  return {
    transactions: new Map(stored.map((row) => [row.external_id, toTransaction(row)])),
    members: new Set<string | null>(members.map(({ id }) => id)),
  };
}

function toTransaction(row: StoredRow): Transaction {
  return {
    memberId: row.member_id,
    state: row.state,
    network: row.network,
    merchantId: row.merchant_id,
    statementDescriptor: row.statement_descriptor,
    amount: row.amount === null ? null : Number(row.amount),
    currency: row.currency,
    authedAt: row.authed_at.toISOString(),
    clearedAt: row.cleared_at?.toISOString() ?? null,
    revertedAt: row.reverted_at?.toISOString() ?? null,
    identifier6: `\\x${row.identifier_6.toString("hex")}`,
    identifier8: row.identifier_8 === null ? null : `\\x${row.identifier_8.toString("hex")}`,
    firstDescriptor: null,
  };
}
