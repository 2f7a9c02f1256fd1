import type { Sql, Transaction } from "#postgres";
import type { RestingStamp } from "./at-rest.ts";

/** Rows deleted because their transactions were deleted. */
interface DeletedEarned {
  readonly qualifying_purchases: number;
  readonly redemptions: number;
  readonly cashbacks: number;
}

/**
 * Deletes the earnings of transactions that were deleted in the same database transaction:
 * - redemptions, with all their stamps and their cashback, when the last of their transactions is gone;
 * - stamps that no remaining redemption has ever taken;
 * - cashbacks of clips. The caller has locked the cards of the stamps (`lockCollections`).
 * @param transactionIds the deleted transactions
 * @param stamps all stamps of theirs
 */
export async function deleteEarned(
  sql: Transaction,
  transactionIds: readonly string[],
  stamps: readonly RestingStamp[],
): Promise<DeletedEarned> {
  const redemptions = await deleteRedemptions(sql, stamps);
  return {
    redemptions: redemptions.length,
    qualifying_purchases: await deleteStamps(sql, stamps, redemptions),
    cashbacks: await deleteCashbacks(sql, transactionIds, redemptions),
  };
}

/**
 * Locks the cards of these stamps against a concurrent deletion of their members, which would delete the
 * stamps.
 * @returns the ids of the locked cards; leaves out cards that another session has locked
 */
export async function lockCollections(
  sql: Transaction,
  stamps: readonly RestingStamp[],
): Promise<ReadonlySet<string>> {
  if (stamps.length === 0) return new Set();
  const ids = [...new Set(stamps.map(({ collectionId }) => collectionId))];
  const rows = await sql<{ id: string }[]>`
    select id from stamp_collections where id = any(${ids}::uuid[]) for no key update skip locked`;
  return new Set(rows.map(({ id }) => id));
}

/** A stamp's id and its card. */
type CardStamp = Pick<RestingStamp, "id" | "collectionId">;

/**
 * A redemption with the stamps that it took, all from its card. An undone redemption no longer holds them.
 */
interface TakingRedemption {
  readonly id: string;
  readonly collectionId: string;
  readonly stampIds: readonly string[];
}

function stampsOf({ collectionId, stampIds }: TakingRedemption): readonly CardStamp[] {
  return stampIds.map((id) => ({ id, collectionId }));
}

/** Deletes the redemptions whose last transaction is gone. */
async function deleteRedemptions(
  sql: Transaction,
  stamps: readonly RestingStamp[],
): Promise<readonly TakingRedemption[]> {
  const touched = await findConnected(sql, stamps);
  if (touched.length === 0) return [];
  // As one array of ids: for a join the planner might read the whole table.
  const there = await sql<{ id: string }[]>`
    select q.id from qualifying_purchases q
    cross join lateral (
      select from transactions t
      where t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref and t.id = q.transaction_id
      offset 0
    ) as t
    where q.id = any(${touched.flatMap(({ stampIds }) => stampIds)}::uuid[])`;
  const gone = whichLeave(
    touched,
    there.map(({ id }) => id),
  );
  await sql`delete from redemptions where id = any(${gone.map(({ id }) => id)}::uuid[])`;
  return gone;
}

/**
 * Those of these redemptions that can be deleted, because none of their stamps has to stay. An undone
 * redemption shares stamps with the one that took them next. If it stays, all its stamps stay; they name the
 * later redemption, which therefore stays as well.
 * @param redemptions together with all redemptions that share a stamp with one of them
 * @param there the stamps whose transactions are still stored
 */
function whichLeave(
  redemptions: readonly TakingRedemption[],
  there: readonly string[],
): readonly TakingRedemption[] {
  const kept = new Set(there);
  let leaving = redemptions;
  for (;;) {
    const staying = new Set(leaving.filter(({ stampIds }) => stampIds.some((id) => kept.has(id))));
    if (staying.size === 0) return leaving;
    for (const { stampIds } of staying) for (const id of stampIds) kept.add(id);
    leaving = leaving.filter((one) => !staying.has(one));
  }
}

/**
 * The redemptions that have taken one of these stamps, or a stamp of such a redemption, and so on. Nearly
 * always each redemption stands alone.
 */
async function findConnected(sql: Sql, own: readonly CardStamp[]): Promise<readonly TakingRedemption[]> {
  const found = new Map<string, TakingRedemption>();
  let stamps = own;
  for (let before = -1; found.size !== before; ) {
    before = found.size;
    for (const one of await findTaking(sql, stamps)) found.set(one.id, one);
    stamps = [...found.values()].flatMap(stampsOf);
  }
  return [...found.values()];
}

/**
 * The redemptions, including undone ones, that have taken one of these stamps. Each card's redemptions are
 * compared only with its own stamps: compared with the stamps of all cards, a step with cards of a hundred
 * redemptions took half a second.
 */
async function findTaking(sql: Sql, stamps: readonly CardStamp[]): Promise<readonly TakingRedemption[]> {
  if (stamps.length === 0) return [];
  return sql<TakingRedemption[]>`
    select r.id, wanted.id as "collectionId", r.stamp_ids as "stampIds"
    from (
      select collection_id as id, array_agg(stamp_id) as stamp_ids
      from unnest(
        ${stamps.map(({ collectionId }) => collectionId)}::uuid[], ${stamps.map(({ id }) => id)}::uuid[]
      ) as stamp (collection_id, stamp_id)
      group by collection_id
    ) as wanted
    cross join lateral (
      select id, stamp_ids from redemptions
      where stamp_collection_id = wanted.id and stamp_ids && wanted.stamp_ids offset 0
    ) as r`;
}

/**
 * Deletes the stamps of these redemptions and of the transactions, except those that a remaining redemption
 * has taken.
 */
async function deleteStamps(
  sql: Transaction,
  own: readonly CardStamp[],
  redemptions: readonly TakingRedemption[],
): Promise<number> {
  const stamps = new Map([...own, ...redemptions.flatMap(stampsOf)].map((stamp) => [stamp.id, stamp]));
  const taking = await findTaking(sql, [...stamps.values()]);
  const taken = new Set(taking.flatMap(({ stampIds }) => stampIds));
  const gone = [...stamps.keys()].filter((id) => !taken.has(id));
  if (gone.length === 0) return 0;
  const rows = await sql`delete from qualifying_purchases where id = any(${gone}::uuid[]) returning 1`;
  return rows.length;
}

/**
 * Deletes the cashbacks of these redemptions, and those cashbacks of these transactions that no redemption
 * shows: of clips, and of redemptions that were deleted with their member. By id, like the sweep that unlinks
 * the cashbacks of deleted members.
 */
async function deleteCashbacks(
  sql: Transaction,
  transactionIds: readonly string[],
  redemptions: readonly TakingRedemption[],
): Promise<number> {
  const rows = await sql`
    with gone as materialized (
      select id from cashbacks
      where id = any(array(
        select c.id from unnest(${redemptions.map(({ id }) => id)}::uuid[]) as wanted (id)
        cross join lateral (select id from cashbacks where redemption_id = wanted.id offset 0) as c
        union all
        select c.id from unnest(${[...transactionIds]}::uuid[]) as wanted (id)
        cross join lateral (select id, redemption_id from cashbacks where transaction_id = wanted.id offset 0) as c
        left join lateral (select id from redemptions where id = c.redemption_id offset 0) as r on true
        where r.id is null
      ))
      order by id
      for update
    )
    delete from cashbacks using gone where cashbacks.id = gone.id returning 1`;
  return rows.length;
}
