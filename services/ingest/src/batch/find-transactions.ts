import type { StoredTransaction } from "#domain";
import type { Sql } from "#postgres";
import { type StoredRow, storedColumns, toStored } from "#publisher-db";

export type TransactionKey = Pick<StoredTransaction, "organisationId" | "externalId">;

/** Stored transactions in the order of their keys; undefined where nothing is stored. */
export async function findTransactions(
  sql: Sql,
  keys: readonly TransactionKey[],
): Promise<(StoredTransaction | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await sql<(StoredRow | { readonly id: null })[]>`
    select ${storedColumns(sql)}
    from unnest(
      ${keys.map((key) => key.organisationId)}::uuid[], ${keys.map((key) => key.externalId)}::text[]
    ) with ordinality as key (organisation_id, external_id, nth)
    -- One look-up by the primary key each, however new the table is (see loadForEvents).
    left join lateral (
      select * from transactions t
      where t.organisation_id = key.organisation_id and t.external_id = key.external_id offset 0
    ) as t on true
    order by key.nth`;
  return rows.map((row) => (row.id === null ? undefined : toStored(row)));
}
