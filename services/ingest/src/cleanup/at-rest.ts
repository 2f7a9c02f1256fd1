import type { Sql } from "#postgres";

/** A stamp of a transaction that is at rest. */
export interface RestingStamp {
  readonly id: string;
  readonly transactionId: string;
  readonly collectionId: string;
}

/** A transaction's stamp, or its cashback if there is no stamp id. */
interface EarnedRow {
  readonly id: string | null;
  readonly transactionId: string;
  readonly collectionId: string | null;
  readonly atRest: boolean;
}

/**
 * Finds those of these settled transactions that have been at rest since before the time, with their stamps.
 * Nearly all have earned nothing. A transaction is at rest when each of its stamps is voided or held by a
 * redemption whose cashback has cleared, none of its cashbacks is pending, and no outcome of it waits for room
 * on its card. It then stays at rest for ever.
 * @param before a timestamptz as text
 */
export async function findAtRest<T extends { readonly id: string }>(
  sql: Sql,
  transactions: readonly T[],
  before: string,
): Promise<{ readonly atRest: readonly T[]; readonly stamps: readonly RestingStamp[] }> {
  if (transactions.length === 0) return { atRest: [], stamps: [] };
  const ids = transactions.map(({ id }) => id);
  // `offset 0` keeps each look-up one by its index: joins might be planned while the tables are new.
  const rows = await sql<EarnedRow[]>`
    select q.id, q.transaction_id as "transactionId", q.stamp_collection_id as "collectionId",
           greatest(q.created_at, q.voided_at, c.created_at, c.cleared_at, c.reverted_at)
             < ${before}::text::timestamptz
           and c.state is distinct from 'pending'
           and (q.voided_at is not null or c.state is not distinct from 'cleared') as "atRest"
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (
      select id, transaction_id, stamp_collection_id, redemption_id, created_at, voided_at
      from qualifying_purchases where transaction_id = wanted.id offset 0
    ) as q
    left join lateral (
      select state, created_at, cleared_at, reverted_at from cashbacks where redemption_id = q.redemption_id offset 0
    ) as c on true
    union all
    select null, wanted.id, null,
           greatest(c.created_at, c.cleared_at, c.reverted_at) < ${before}::text::timestamptz and c.state <> 'pending'
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (
      select state, created_at, cleared_at, reverted_at from cashbacks where transaction_id = wanted.id offset 0
    ) as c
    union all
    select null, wanted.id, null, false
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (select from early_outcomes where transaction_id = wanted.id offset 0) as waiting`;
  const alive = new Set(rows.flatMap(({ transactionId, atRest }) => (atRest ? [] : transactionId)));
  return {
    atRest: transactions.filter(({ id }) => !alive.has(id)),
    stamps: rows.flatMap(({ id, transactionId, collectionId }) =>
      id === null || collectionId === null || alive.has(transactionId)
        ? []
        : { id, transactionId, collectionId },
    ),
  };
}
