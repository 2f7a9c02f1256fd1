import type { ProgramReward } from "#contract";
import { groupBy, type LinkTimes } from "#domain";
import type { Clip, Program, Redemption, RewardTransaction, Stamp, StampCollection } from "#domain/rewards";
import { microsecondsSince1970, type Transaction } from "#postgres";
import { createRetroactiveReader, retroactiveText } from "#publisher-db";
import { groupStamps, loadRedemptions, loadStamps, type StampRow, transactionOf } from "./stamps.ts";
import { lockOpenTransactions } from "./transactions.ts";

/** A collection or a clip, locked until the database transaction that loaded it ends. */
export interface LoadedTarget {
  readonly organisationId: string;
  /** Null once the member is deleted: rewards stay. Also null if a settlement loaded a single cashback. */
  readonly memberId: string | null;
  /** The times that decide whether it counts for a purchase. Null if a settlement loaded a single cashback. */
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
  /** The threshold of its newest stamp, or the one at which an older process left stamps waiting. */
  readonly newestThreshold: number | null;
  /** Their number; `loadStamps` finds those that a batch needs. */
  readonly pendingRedemptions: number;
  /** Microseconds since 1970. */
  readonly madeAt: number;
  /**
   * Its program's; a change that commits meanwhile counts from the next batch. All null if there is no
   * program.
   */
  readonly threshold: number | null;
  readonly reward: ProgramReward | null;
  readonly currency: string | null;
  /** In the form of `createRetroactiveReader`. */
  readonly retroactive: string;
  readonly removed: boolean | null;
}

/** A stamp that an outcome may make. */
export interface ComingStamp {
  readonly transactionId: string;
  /** In the outcome; null: that of the stored program. */
  readonly threshold: number | null;
}

/**
 * Locks stamp collections until the database transaction ends, without those that are gone. All code locks several in the order of ids
 * (also `deleteMembers`), so that batches that share collections wait for each other and do not deadlock. The result has what another
 * batch wrote to the rows during the wait; stamps and redemptions must be read afterwards, by another statement.
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
 * Loads only the parts of locked collections that the rules need for these transactions (see `StampCollection` of `#domain`): a member
 * with thousands of redemptions must not slow down its batches, and most collections only get a stamp.
 *
 * Some collections will be judged by the order in which their purchases settled. Of these, the transactions of all stamps that may
 * still change are locked too, so that none settles meanwhile under a lower number than one that is seen. Transactions that settled
 * between the reading and the locks are read again.
 * @param transactions as loaded under the same locks; newer states that are read here replace them
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
  // A transaction that settles between a look and the locks may belong to a collection that was not to be judged, and whose stamps
  // are not loaded. So all are read again until no more settles.
  do {
    rows = await loadStamps(sql, collections, new Set(whole), transactions);
    redemptions = await loadRedemptions(sql, redemptionsOf(rows));
    judged = findJudged(whole, comingTo, { rows, redemptions, transactions });
  } while (await lockOpenTransactions(sql, judged, settledOf(rows)));
  // These rows were read after the transactions, so their states are newer, and count for all stamps of a transaction.
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
 * Whether new stamps only raise a collection's counter: they do not reach the threshold, and no redemption is pending. Then only stamps
 * with a reverted transaction are needed, to be voided.
 */
function onlyGrows(collection: LockedCollection, coming: readonly ComingStamp[]): boolean {
  return collection.pendingRedemptions === 0 && !reachesThreshold(collection, coming);
}

/** Whether the counter may reach the threshold of a stored or coming stamp. */
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

/** The collections that are judged by the order in which their purchases settled. */
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

/** Whether stamps may be redeemed, or a redemption paid or undone; other collections only get or lose stamps. */
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
 * Whether a purchase of the collection is seen as settled. Otherwise no order can be seen wrongly, and purchases may settle meanwhile:
 * their settlements wait for the collection's lock, and then find what is stored here. Locks would take all transactions of a member
 * with many pending redemptions, batch after batch.
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

/** The program in force; null once it is removed. */
function programOf({ threshold, reward, currency, removed }: LockedCollection): Program | null {
  return threshold === null || reward === null || removed ? null : { threshold, reward, currency };
}
