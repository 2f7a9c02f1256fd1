import type { Program, Redemption, StampCollection } from "#domain";
import type { Transaction } from "../connect.ts";
import type { ProgramReward } from "../programs/program.ts";
import {
  groupStamps,
  loadHeldStamps,
  loadStamps,
  type StampsByCollection,
  type TransactionsById,
} from "./load-stamps.ts";
import { type LoadedCashback, loadedCashbackColumns, toRewardCashback } from "./loaded-cashback.ts";
import type { LockedCollection } from "./lock-collections.ts";
import type { LoadedTarget } from "./reward-batch.ts";

/**
 * What the rules need of locked collections for these transactions, and no more (see `StampCollection` of `#domain`): a
 * member with thousands of redemptions must not slow the batches that it is in.
 * @param transactions as loaded under the same locks
 */
export async function loadCollections(
  sql: Transaction,
  collections: readonly LockedCollection[],
  transactions: TransactionsById,
): Promise<Map<string, LoadedTarget>> {
  if (collections.length === 0) return new Map();
  const rows = await loadStamps(sql, collections, transactions);
  // What a transaction's own redemption holds is asked for only when a reversal may undo it.
  const held = rows.flatMap(({ redemptionId }) => redemptionId ?? []);
  const redemptions = await loadRedemptions(sql, held);
  const undoable = rows.flatMap(({ transactionId, redemptionId }) => {
    const cashback = redemptionId === null ? undefined : redemptions.get(redemptionId);
    const isReverted = transactions.get(transactionId)?.state === "reverted";
    return isReverted && cashback?.state === "pending" ? (redemptionId ?? []) : [];
  });
  const others = undoable.length > 0 ? await loadHeldStamps(sql, [...new Set(undoable)]) : [];
  const stamps = groupStamps([...rows, ...others], transactions);
  const programs = await loadPrograms(sql, collections);
  return new Map(
    collections.map((collection) => [
      collection.id,
      {
        organisationId: collection.organisationId,
        memberId: collection.memberId,
        state: toState(collection, programs.get(collection.loyaltyProgramId) ?? null, stamps, redemptions),
      },
    ]),
  );
}

function toState(
  collection: LockedCollection,
  program: Program | null,
  stampsOf: StampsByCollection,
  cashbackOf: ReadonlyMap<string, LoadedCashback>,
): StampCollection {
  const stamps = stampsOf.get(collection.id) ?? [];
  const redemptionIds = new Set(stamps.flatMap(({ redemptionId }) => redemptionId ?? []));
  const redemptions: Redemption[] = [];
  for (const id of redemptionIds) {
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

/**
 * The cashbacks of redemptions, by redemption. That of a pending one waits for the newest stamp of its redemption, which
 * is live as long as it waits: so whatever waits for a transaction is found through that transaction's stamp.
 */
async function loadRedemptions(
  sql: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedCashback>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<LoadedCashback[]>`
    select ${loadedCashbackColumns(sql)} from cashbacks c where c.redemption_id = any(${[...new Set(ids)]}::uuid[])`;
  return new Map(rows.map((row) => [row.redemptionId as string, row]));
}

/** The programs in force, by id. A change that commits meanwhile counts from the next batch on. */
async function loadPrograms(
  sql: Transaction,
  collections: readonly LockedCollection[],
): Promise<ReadonlyMap<string, Program>> {
  const ids = [...new Set(collections.map(({ loyaltyProgramId }) => loyaltyProgramId))];
  const rows = await sql<{ id: string; threshold: number; reward: ProgramReward; currency: string | null }[]>`
    select id, qualifying_threshold as threshold, reward_config as reward, currency
    from loyalty_programs where id = any(${ids}::uuid[]) and removed_at is null`;
  return new Map(rows.map(({ id, threshold, reward, currency }) => [id, { threshold, reward, currency }]));
}
