import type { Sql } from "#postgres";

export interface TransactionKey {
  readonly organisationId: string;
  readonly externalId: string;
}

/** The ids of stored transactions, in the order of the keys; null where nothing is stored. */
export async function findTransactionIds(
  sql: Sql,
  keys: readonly TransactionKey[],
): Promise<(string | null)[]> {
  if (keys.length === 0) return [];
  const rows = await sql<{ id: string | null }[]>`
    select t.id
    from unnest(
      ${keys.map((key) => key.organisationId)}::uuid[], ${keys.map((key) => key.externalId)}::text[]
    ) with ordinality as key (organisation_id, external_id, nth)
    left join transactions t
      on t.organisation_id = key.organisation_id and t.external_id = key.external_id
    order by key.nth`;
  return rows.map(({ id }) => id);
}
