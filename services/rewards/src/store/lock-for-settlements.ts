import type { Transaction } from "#postgres";
import { type LoadedTarget, loadCollections, lockCollections } from "./collections.ts";
import type { LoadedRewards } from "./lock-for-outcomes.ts";
import { isLatestClip, type LoadedCashback, loadedCashbackColumns, toRewardCashback } from "./stamps.ts";
import { indexTransactions, loadByKey, type MemberTransaction } from "./transactions.ts";

/** Both UUIDs. */
export interface SettledTransaction {
  readonly organisationId: string;
  readonly transactionId: string;
}

export interface LoadedSettlements extends LoadedRewards {
  /** For each transaction the ids of the targets in which it has a live stamp or a pending cashback, in the order of ids. */
  readonly touched: ReadonlyMap<string, readonly string[]>;
}

const NOTHING: LoadedSettlements = {
  transactions: new Map(),
  members: new Map(),
  authedAt: new Map(),
  targets: new Map(),
  touched: new Map(),
};

/**
 * Locks and reads the rewards of transactions. Nearly always there are none, which costs one look-up. Call it
 * once, first, in a read committed database transaction.
 *
 * The transactions need no lock. A settlement is published after its change has committed, and an outcome
 * that did not see the change held the row until its own commit (`lockForOutcomes`): so the stamps and
 * cashbacks of the transaction are stored by now. A change that commits meanwhile has its own settlement.
 * Transactions by which a collection is judged are locked later (`loadCollections`).
 * @param awaited transactions to be locked first (`withOpenTransactions`)
 */
export async function lockForSettlements(
  sql: Transaction,
  settled: readonly SettledTransaction[],
  awaited: readonly MemberTransaction[] = [],
): Promise<LoadedSettlements> {
  if (awaited.length > 0) await lockAwaited(sql, awaited);
  const found = await findEarned(sql, [...new Set(settled.map(({ transactionId }) => transactionId))]);
  if (found.length === 0) return NOTHING;
  const ids = new Set(found.flatMap(({ stampCollectionId }) => stampCollectionId ?? []));
  const collections = await lockCollections(sql, [...ids]);
  const clipIds = [...new Set(found.flatMap(({ clipId }) => clipId ?? []))];
  if (clipIds.length > 0) await lockRedeemedClips(sql, clipIds);
  const transactionIds = [...new Set(found.map((row) => row.transactionId))];
  const ofClips = await lockSingleCashbacks(sql, transactionIds, clipIds);
  const { transactions, members, authedAt } = indexTransactions(await loadByKey(sql, found));
  const targets = await loadCollections(sql, collections, transactions);
  for (const [id, target] of ofClips) targets.set(id, target);
  return { transactions, members, authedAt, targets, touched: touchedTargets(transactions.keys(), targets) };
}

async function lockAwaited(sql: Transaction, awaited: readonly MemberTransaction[]): Promise<void> {
  await sql`
    select count(*) from (
      select from transactions t
      where (t.member_id, t.id) in (
        select * from unnest(
          ${awaited.map(({ memberId }) => memberId)}::uuid[],
          ${awaited.map(({ transactionId }) => transactionId)}::uuid[]
        )
      )
      order by t.organisation_id, t.external_id
      for share of t
    ) as locked`;
}

interface Earned {
  readonly transactionId: string;
  readonly organisationId: string;
  readonly transactionRef: string;
  readonly stampCollectionId: string | null;
  readonly clipId: string | null;
}

/** Where transactions have live stamps or pending cashbacks. */
async function findEarned(sql: Transaction, transactionIds: readonly string[]): Promise<Earned[]> {
  return sql<Earned[]>`
    select transaction_id as "transactionId", organisation_id as "organisationId",
           transaction_ref as "transactionRef", stamp_collection_id as "stampCollectionId", null::uuid as "clipId"
    from qualifying_purchases
    where transaction_id = any(${transactionIds}::uuid[]) and voided_at is null
    union all
    select transaction_id, organisation_id, transaction_ref, stamp_collection_id, clip_id
    from cashbacks
    where transaction_id = any(${transactionIds}::uuid[]) and state = 'pending'`;
}

/** Locked because a reversal may open them again; a request that saves the deal again waits for the newest clip. */
async function lockRedeemedClips(sql: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    select count(*) from (
      select from clips where id = any(${ids}::uuid[]) order by id for no key update
    ) as locked`;
}

/**
 * Locks pending cashbacks that settle on their own, and returns them as clips: cashbacks of clips, and of
 * redemptions without a collection, because the member is deleted. Only the cashback can change then, so its
 * row is locked, also if the clip is gone. They are locked in the order of ids, as everywhere.
 *
 * Cashbacks of existing collections are left out, even if the collection is not locked here, and so are
 * cashbacks of clips that are not locked: these were made after `findEarned`, and their settlement is still
 * to come. Without the collection's lock two batches could both settle them.
 */
async function lockSingleCashbacks(
  sql: Transaction,
  transactionIds: readonly string[],
  clipIds: readonly string[],
): Promise<Map<string, LoadedTarget>> {
  const rows = await sql<(LoadedCashback & { readonly reopens: boolean })[]>`
    select ${loadedCashbackColumns(sql)},
           exists (select from clips own where own.id = c.clip_id and ${isLatestClip(sql)}) as reopens
    from cashbacks c
    where c.transaction_id = any(${transactionIds}::uuid[]) and c.state = 'pending'
      and (
        c.clip_id = any(${clipIds}::uuid[])
        or c.clip_id is null and not exists (select from stamp_collections where stamp_collections.id = c.stamp_collection_id)
      )
    order by c.id
    for no key update of c`;
  return new Map(
    rows.map((row) => {
      const cashback = toRewardCashback(row);
      const { source } = cashback;
      // The rules look only at the cashback. A redemption's cashback has no clip, so it goes by its own id.
      const [id, dealId] =
        source.type === "clip" ? [source.clipId, source.dealId] : [cashback.id, source.loyaltyProgramId];
      const { reopens } = row;
      const state = { kind: "clip", id, dealId, redeemed: true, reopens, cashback } as const;
      return [id, { organisationId: row.organisationId, memberId: null, times: null, state }];
    }),
  );
}

/** See `LoadedSettlements.touched`. */
function touchedTargets(
  transactionIds: Iterable<string>,
  targets: ReadonlyMap<string, LoadedTarget>,
): Map<string, readonly string[]> {
  const touched = new Map<string, string[]>(Array.from(transactionIds, (id) => [id, []]));
  for (const id of [...targets.keys()].sort()) {
    for (const transactionId of transactionsIn((targets.get(id) as LoadedTarget).state)) {
      touched.get(transactionId)?.push(id);
    }
  }
  return touched;
}

/** Stamps are enough for a collection: its pending cashbacks wait for transactions that have a stamp in it. */
function transactionsIn(state: LoadedTarget["state"]): string[] {
  if (state.kind === "collection") return state.stamps.map(({ transaction }) => transaction.id);
  return state.cashback?.state === "pending" ? [state.cashback.transactionId] : [];
}
