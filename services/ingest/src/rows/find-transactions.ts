import type { Transaction } from "#domain";
import type { Sql } from "#postgres";
import { type StoredColumns, storedColumns, toTransaction } from "#publisher-db";
import type { TransactionKey } from "./find-transaction-ids.ts";

export interface FoundTransaction {
  /** UUID. */
  readonly id: string;
  readonly transaction: Transaction;
}

/** Stored transactions in the order of their keys; undefined where nothing is stored. */
export async function findTransactions(
  sql: Sql,
  keys: readonly TransactionKey[],
): Promise<(FoundTransaction | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await sql<{ stored: StoredColumns | null }[]>`
    select case when t.id is not null then ${storedColumns(sql)} end as stored
    from unnest(
      ${keys.map((key) => key.organisationId)}::uuid[], ${keys.map((key) => key.externalId)}::text[]
    ) with ordinality as key (organisation_id, external_id, nth)
    left join transactions t
      on t.organisation_id = key.organisation_id and t.external_id = key.external_id
    order by key.nth`;
  return rows.map(({ stored }) =>
    stored === null ? undefined : { id: stored.id, transaction: toTransaction(stored) },
  );
}
