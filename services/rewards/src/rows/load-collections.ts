import type { Program, Redemption, RewardTransaction, StampCollection } from "#domain/rewards";
import type { Transaction } from "#postgres";
import type { ProgramReward } from "#publisher-db";
import {
  type LoadedCashback,
  type LoadedTarget,
  loadedCashbackColumns,
  toRewardCashback,
} from "./loaded-rewards.ts";
import { lockOpenTransactions } from "./lock-open-transactions.ts";
import {
  groupStamps,
  type LockedCollection,
  loadHeldStamps,
  loadStamps,
  type StampRow,
  type StampsByCollection,
  transactionOf,
} from "./locked-collections.ts";

/**
 * Loads what the rules need of locked collections for these transactions, and no more (see `StampCollection` of `#domain`): a
 * member with thousands of redemptions must not slow down its batches.
 *
 * Some collections are about to be judged by the order in which their purchases settled. Of these, the transactions that are
 * still authorized are locked too, so that none settles meanwhile under a lower number than one that is seen.
 * @param transactions as loaded under the same locks; newer states that are read here are put in
 * @param coming how many outcomes may make a stamp in each collection
 */
export async function loadCollections(
  sql: Transaction,
  collections: readonly LockedCollection[],
  transactions: Map<string, RewardTransaction>,
  coming: ReadonlyMap<string, number>,
): Promise<Map<string, LoadedTarget>> {
  if (collections.length === 0) return new Map();
  const configured = await loadPrograms(sql, collections);
  const rows = await loadStamps(sql, collections, transactions);
  const pending = collections.flatMap(({ pendingRedemptions }) => pendingRedemptions);
  const redemptions = await loadRedemptions(sql, [
    ...pending,
    ...rows.flatMap(({ redemptionId }) => redemptionId ?? []),
  ]);
  const held = pending.length > 0 ? await loadHeldStamps(sql, pending) : [];
  const all = [...rows, ...held];
  // These rows were read after the transactions, so a transaction's state in them is newer, and counts for all its stamps.
  for (const row of all) {
    if (row.state !== "authorized" && transactions.has(row.transactionId)) {
      transactions.set(row.transactionId, transactionOf(row));
    }
  }
  const judged = collections.filter((collection) => {
    return isJudged(
      collection,
      inForce(configured, collection),
      coming.get(collection.id) ?? 0,
      all,
      redemptions,
    );
  });
  if (judged.length > 0) {
    for (const transaction of await lockOpenTransactions(sql, judged, all)) {
      transactions.set(transaction.id, transaction);
    }
  }
  const stamps = groupStamps(all, transactions);
  return new Map(
    collections.map((collection) => [
      collection.id,
      {
        organisationId: collection.organisationId,
        memberId: collection.memberId,
        times: {
          madeAt: collection.madeAt,
          retroactive: configured.get(collection.loyaltyProgramId)?.retroactive ?? false,
        },
        state: toState(collection, inForce(configured, collection) ?? null, stamps, redemptions),
      },
    ]),
  );
}

/** Whether something may be redeemed, paid or taken back; other collections only get or lose stamps. */
function isJudged(
  collection: LockedCollection,
  program: Program | undefined,
  coming: number,
  rows: readonly StampRow[],
  redemptions: ReadonlyMap<string, LoadedCashback>,
): boolean {
  const threshold = program?.threshold ?? Number.POSITIVE_INFINITY;
  if (collection.waitingThreshold !== null || collection.unredeemedPurchases + coming >= threshold)
    return true;
  return rows.some(({ stampCollectionId, state, redemptionId, transactionId }) => {
    if (stampCollectionId !== collection.id || state === "authorized") return false;
    const cashback = redemptionId === null ? undefined : redemptions.get(redemptionId);
    if (state === "reverted") return cashback === undefined || cashback.state === "pending";
    return cashback?.state === "pending" && cashback.transactionId === transactionId;
  });
}

function toState(
  collection: LockedCollection,
  program: Program | null,
  stampsOf: StampsByCollection,
  cashbackOf: ReadonlyMap<string, LoadedCashback>,
): StampCollection {
  const stamps = stampsOf.get(collection.id) ?? [];
  const ids = new Set([
    ...collection.pendingRedemptions,
    ...stamps.flatMap(({ redemptionId }) => redemptionId ?? []),
  ]);
  const redemptions: Redemption[] = [];
  for (const id of ids) {
    const cashback = cashbackOf.get(id);
    if (cashback !== undefined) redemptions.push({ id, cashback: toRewardCashback(cashback) });
  }
  return {
    kind: "collection",
    id: collection.id,
    loyaltyProgramId: collection.loyaltyProgramId,
    program,
    stamps,
    redemptions,
    unredeemedPurchases: collection.unredeemedPurchases,
    nextPosition: collection.nextPosition,
    waitingThreshold: collection.waitingThreshold,
  };
}

/** The cashbacks of redemptions, by redemption. */
async function loadRedemptions(
  sql: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedCashback>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<LoadedCashback[]>`
    select ${loadedCashbackColumns(sql)} from cashbacks c where c.redemption_id = any(${[...new Set(ids)]}::uuid[])`;
  return new Map(rows.map((row) => [row.redemptionId as string, row]));
}

interface ProgramRow extends Program {
  readonly id: string;
  readonly reward: ProgramReward;
  readonly retroactive: boolean;
  readonly removed: boolean;
}

interface ConfiguredProgram {
  /** Undefined once the program is removed. */
  readonly inForce: Program | undefined;
  readonly retroactive: boolean;
}
type ProgramsById = ReadonlyMap<string, ConfiguredProgram>;

const inForce = (programs: ProgramsById, { loyaltyProgramId }: LockedCollection) =>
  programs.get(loyaltyProgramId)?.inForce;

/** Programs by id. A change that commits meanwhile counts from the next batch on. */
async function loadPrograms(
  sql: Transaction,
  collections: readonly LockedCollection[],
): Promise<ProgramsById> {
  const ids = [...new Set(collections.map(({ loyaltyProgramId }) => loyaltyProgramId))];
  const rows = await sql<ProgramRow[]>`
    select id, qualifying_threshold as threshold, reward_config as reward, currency, retroactive,
           removed_at is not null as removed
    from loyalty_programs where id = any(${ids}::uuid[])`;
  return new Map(
    rows.map(({ id, threshold, reward, currency, retroactive, removed }) => [
      id,
      { inForce: removed ? undefined : { threshold, reward, currency }, retroactive },
    ]),
  );
}
