import type { StoredTransaction } from "#domain";
import type { Sql } from "#postgres";
import { storedTransaction } from "#publisher-db";

export type TransactionKey = Pick<StoredTransaction, "organisationId" | "externalId">;

/** Stored transactions in the order of their keys; undefined where nothing is stored. */
export async function findTransactions(
  sql: Sql,
  keys: readonly TransactionKey[],
): Promise<(StoredTransaction | undefined)[]> {
  if (keys.length === 0) return [];
  const rows = await sql<{ stored: StoredTransaction | null }[]>`
    select case when t.id is not null then ${storedTransaction(sql)} end as stored
    from unnest(
      ${keys.map((key) => key.organisationId)}::uuid[], ${keys.map((key) => key.externalId)}::text[]
    ) with ordinality as key (organisation_id, external_id, nth)
    left join transactions t
      on t.organisation_id = key.organisation_id and t.external_id = key.external_id
    order by key.nth`;
  return rows.map(({ stored }) => stored ?? undefined);
}
