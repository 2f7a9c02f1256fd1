import type { Transaction } from "#domain";
import type { Fragment, Sql } from "#postgres";
import { utc } from "#postgres";
import type { EventRow } from "#publisher-db";
import { reachableMember, type StoredColumns, storedColumns, toTransaction } from "#publisher-db";

/** An event next to what is stored under its key. */
export interface LoadedEvent {
  readonly row: EventRow;
  readonly memberExists: boolean;
  readonly stored: StoredTransaction | undefined;
}

export interface StoredTransaction {
  /** UUID. */
  readonly id: string;
  /** In the forms of `EventRow`: identifiers as `\x…`, timestamps as UTC texts to the microsecond. */
  readonly transaction: Transaction;
}

interface LoadedRow {
  event: EventRow;
  member_exists: boolean;
  stored: StoredColumns | null;
}

/**
 * Reads what is stored for events, in their order, with whether their members exist, and locks the rows that it finds, in
 * key order, until the end of the transaction.
 * @param events a table `i` with the columns of `EventRow`; a key may occur several times
 * @param ords which of them are wanted
 */
export async function loadTransactions(
  sql: Sql,
  events: Fragment,
  ords: readonly number[],
): Promise<LoadedEvent[]> {
  const rows = await sql<LoadedRow[]>`
    with input as materialized (
      select * from ${events} where ord = any(${ords as number[]}::int[])
    ),
    stored as materialized (
      select t.* from transactions t
      where (t.organisation_id, t.external_id) in (select i.organisation_id, i.external_id from input i)
      order by t.organisation_id, t.external_id
      for update
    )
    select
      ${eventColumns(sql)} as event,
      m.id is not null as member_exists,
      case when t.id is not null then ${storedColumns(sql)} end as stored
    from input i
    left join stored t on t.organisation_id = i.organisation_id and t.external_id = i.external_id
    left join members m
      on m.id = i.member_id and m.organisation_id = i.organisation_id and ${reachableMember(sql)}
    order by i.ord
  `;
  return rows.map((row) => ({
    row: row.event,
    memberExists: row.member_exists,
    stored: row.stored === null ? undefined : { id: row.stored.id, transaction: toTransaction(row.stored) },
  }));
}

function eventColumns(sql: Sql) {
  return sql`json_build_object(
    'ord', i.ord, 'id', i.id, 'organisation_id', i.organisation_id, 'member_id', i.member_id,
    'external_id', i.external_id, 'state', i.state, 'network', i.network, 'merchant_id', i.merchant_id,
    'statement_descriptor', i.statement_descriptor, 'amount', i.amount, 'currency', i.currency,
    'authed_at', ${utc(sql, "i.authed_at")}, 'cleared_at', ${utc(sql, "i.cleared_at")},
    'reverted_at', ${utc(sql, "i.reverted_at")}, 'identifier_6', i.identifier_6, 'identifier_8', i.identifier_8
  )`;
}
