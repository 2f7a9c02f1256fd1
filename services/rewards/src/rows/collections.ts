import type { ProgramReward } from "#contract";
import { groupBy, type LinkTimes } from "#domain";
import type { Clip, Program, Redemption, RewardTransaction, Stamp, StampCollection } from "#domain/rewards";
import type { Transaction } from "#postgres";
import { createRetroactiveReader, microsecondsSince1970, retroactiveText } from "#publisher-db";
import { groupStamps, loadRedemptions, loadStamps, type StampRow, transactionOf } from "./stamps.ts";
import { lockOpenTransactions } from "./transactions.ts";

/** A collection or a clip, locked until the database transaction that loaded it ends. */
export interface LoadedTarget {
  readonly organisationId: string;
  /** Null once the member is deleted: what was earned stays. Also null where a settlement loaded a single cashback. */
  readonly memberId: string | null;
  /** The times that decide whether it counts for a purchase. Null where a settlement loaded a single cashback. */
  readonly times: LinkTimes | null;
  readonly state: StampCollection | Clip;
}

/** A locked row of `stamp_collections`. */
export interface LockedCollection {
  readonly id: string;
  readonly organisationId: string;
  readonly memberId: string;
  readonly loyaltyProgramId: string;
  readonly unredeemedPurchases: number;
  readonly nextPosition: number;
  /** Of its newest stamp; what an older process left waiting is judged by what that had reached. */
  readonly newestThreshold: number | null;
  /** How many; which of them a batch needs is found where they are (`loadStamps`). */
  readonly pendingRedemptions: number;
  /** Microseconds since 1970. */
  readonly madeAt: number;
  /** Of its program. A change that commits meanwhile counts from the next batch on. All null where there is no program. */
  readonly threshold: number | null;
  readonly reward: ProgramReward | null;
  readonly currency: string | null;
  /** As `createRetroactiveReader` reads it. */
  readonly retroactive: string;
  readonly removed: boolean | null;
}

/** A stamp that an outcome may make. */
export interface ComingStamp {
  readonly transactionId: string;
  /** As the outcome said; null: that of the stored program. */
  readonly threshold: number | null;
}

/**
 * Locks stamp collections until the database transaction ends; those that are gone are left out. They are locked in the order
 * of ids, as by everybody who locks several (`deleteMembers` too), so that batches which share collections wait for each other
 * and do not deadlock. What another batch wrote to the rows while this one waited is in the result; stamps and redemptions
 * must be read afterwards, by another statement.
 */
export function lockCollections(sql: Transaction, ids: readonly string[]): Promise<LockedCollection[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return sql<LockedCollection[]>`
    select c.id, c.organisation_id as "organisationId", c.member_id as "memberId",
           c.loyalty_program_id as "loyaltyProgramId", c.unredeemed_purchases as "unredeemedPurchases",
           c.next_position as "nextPosition", coalesce(c.waiting_threshold, c.threshold) as "newestThreshold",
           cardinality(c.pending_redemptions) as "pendingRedemptions", ${microsecondsSince1970(sql, "c.created_at")} as "madeAt",
           p.qualifying_threshold as threshold, p.reward_config as reward, p.currency, ${retroactiveText(sql, "p")} as retroactive,
           p.removed_at is not null as removed
    from stamp_collections c left join loyalty_programs p on p.id = c.loyalty_program_id
    where c.id = any(${ids}::uuid[])
    order by c.id
    for no key update of c`.send();
}

/**
 * Loads what the rules need of locked collections for these transactions, and no more (see `StampCollection` of `#domain`): a
 * member with thousands of redemptions must not slow down its batches, and most collections are only going to get a stamp.
 *
 * Some collections are about to be judged by the order in which their purchases settled. Of these, the transactions of all
 * stamps that something may still happen to are locked too, so that none settles meanwhile under a lower number than one that
 * is seen. What had settled between the reading and the locks is read again.
 * @param transactions as loaded under the same locks; newer states that are read here are put in
 * @param coming the transactions that may make a stamp in each collection; absent for settlements, which need all stamps
 */
export async function loadCollections(
  sql: Transaction,
  collections: readonly LockedCollection[],
  transactions: Map<string, RewardTransaction>,
  coming?: ReadonlyMap<string, readonly ComingStamp[]>,
): Promise<Map<string, LoadedTarget>> {
  if (collections.length === 0) return new Map();
  const comingTo = ({ id }: LockedCollection) => coming?.get(id) ?? [];
  const whole = collections.filter(
    (collection) => coming === undefined || !onlyGrows(collection, comingTo(collection)),
  );
  let rows: readonly StampRow[];
  let redemptions: ReadonlyMap<string, Redemption>;
  let judged: readonly LockedCollection[];
  // What settles between a look and the locks may concern a collection that was not to be judged, and of which stamps are
  // missing. So all are looked at again until nothing more settles.
  do {
    rows = await loadStamps(sql, collections, new Set(whole), transactions);
    redemptions = await loadRedemptions(sql, redemptionsOf(rows));
    judged = findJudged(whole, comingTo, { rows, redemptions, transactions });
  } while (await lockOpenTransactions(sql, judged, settledOf(rows)));
  // These rows were read after the transactions, so a transaction's state in them is newer, and counts for all its stamps.
  for (const row of rows) {
    if (row.state !== "authorized" && transactions.has(row.transactionId)) {
      transactions.set(row.transactionId, transactionOf(row));
    }
  }
  const stamps = groupStamps(rows, transactions);
  const toRetroactive = createRetroactiveReader();
  return new Map(
    collections.map((collection) => {
      const { organisationId, memberId, madeAt } = collection;
      const times = { madeAt, retroactive: toRetroactive(collection.retroactive) };
      const state = toState(collection, stamps.get(collection.id) ?? [], redemptions);
      return [collection.id, { organisationId, memberId, times, state }];
    }),
  );
}

/**
 * Whether new stamps change nothing in a collection but its counter: they do not reach the threshold, and no
 * redemption is pending. Of the stamps that it has only those are needed then whose transaction is reverted: they are voided.
 */
function onlyGrows(collection: LockedCollection, coming: readonly ComingStamp[]): boolean {
  return collection.pendingRedemptions === 0 && !reachesThreshold(collection, coming);
}

/** Whether the counter may reach the threshold of a stamp that there is, or that is coming. */
function reachesThreshold(collection: LockedCollection, coming: readonly ComingStamp[]): boolean {
  const stored = programOf(collection)?.threshold ?? Number.POSITIVE_INFINITY;
  const thresholds = coming.map(({ threshold }) => threshold ?? stored);
  const lowest = Math.min(collection.newestThreshold ?? stored, ...thresholds);
  return collection.unredeemedPurchases + coming.length >= lowest;
}

interface Seen {
  readonly rows: readonly StampRow[];
  readonly redemptions: ReadonlyMap<string, Redemption>;
  readonly transactions: ReadonlyMap<string, RewardTransaction>;
}

/** Of the collections those that are judged by the order in which their purchases settled. */
function findJudged(
  collections: readonly LockedCollection[],
  comingTo: (collection: LockedCollection) => readonly ComingStamp[],
  { rows, redemptions, transactions }: Seen,
): LockedCollection[] {
  const rowsOf = groupBy(rows, ({ stampCollectionId }) => stampCollectionId);
  return collections.filter((collection) => {
    const own = rowsOf.get(collection.id) ?? [];
    const coming = comingTo(collection);
    return isJudged(collection, coming, own, redemptions) && hasSettled(coming, own, transactions);
  });
}

function settledOf(rows: readonly StampRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ transactionId, state }) => (state === "authorized" ? [] : transactionId)));
}

function redemptionsOf(rows: readonly StampRow[]): string[] {
  return rows.flatMap(({ redemptionId }) => redemptionId ?? []);
}

/** Whether something may be redeemed, paid or taken back; other collections only get or lose stamps. */
function isJudged(
  collection: LockedCollection,
  coming: readonly ComingStamp[],
  rows: readonly StampRow[],
  redemptions: ReadonlyMap<string, Redemption>,
): boolean {
  if (reachesThreshold(collection, coming)) return true;
  return rows.some(({ state, redemptionId, transactionId }) => {
    if (state === "authorized") return false;
    const redemption = redemptionId === null ? undefined : redemptions.get(redemptionId);
    if (state === "reverted") return redemption?.isPending !== false;
    return redemption?.isPending === true && redemption.transactionId === transactionId;
  });
}

/**
 * Whether a purchase of the collection is seen as settled. While none is, no order can be seen wrongly, and none need be kept
 * from settling: its settlement waits for the collection's lock, and then finds what is stored here. Locking them would
 * cost a member with many pending redemptions all of its transactions, batch after batch.
 */
function hasSettled(
  coming: readonly ComingStamp[],
  rows: readonly StampRow[],
  transactions: ReadonlyMap<string, RewardTransaction>,
): boolean {
  const isSettled = (state: RewardTransaction["state"] = "authorized") => state !== "authorized";
  return (
    coming.some(({ transactionId }) => isSettled(transactions.get(transactionId)?.state)) ||
    rows.some(({ state }) => isSettled(state))
  );
}

function toState(
  collection: LockedCollection,
  stamps: readonly Stamp[],
  redemptionOf: ReadonlyMap<string, Redemption>,
): StampCollection {
  const ids = new Set(stamps.flatMap(({ redemptionId }) => redemptionId ?? []));
  return {
    kind: "collection",
    id: collection.id,
    loyaltyProgramId: collection.loyaltyProgramId,
    program: programOf(collection),
    stamps,
    redemptions: [...ids].flatMap((id): Redemption[] | Redemption => redemptionOf.get(id) ?? []),
    unredeemedPurchases: collection.unredeemedPurchases,
    nextPosition: collection.nextPosition,
    threshold: collection.newestThreshold,
  };
}

/** As it is in force; null once it is removed. */
function programOf({ threshold, reward, currency, removed }: LockedCollection): Program | null {
  return threshold === null || reward === null || removed ? null : { threshold, reward, currency };
}
