import type { Sql, Transaction } from "#postgres";
import { writeEvents } from "#publisher-db";
import { type FoldedChanges, foldRewardChanges } from "./fold-reward-changes.ts";
import type { RewardWrites } from "./reward-batch.ts";
import { writeCashbacks } from "./write-cashbacks.ts";
import { writeStamps } from "./write-stamps.ts";

/**
 * Writes what a batch comes to, in the transaction that locked and loaded it (`lockForOutcomes`, `lockForSettlements`): a
 * statement for each kind of row that there is something of. Events are numbered in the order given.
 * @param traceparent of the batch's span, where it is traced: events keep it
 */
export async function writeRewards(
  sql: Transaction,
  { changes, events }: RewardWrites,
  traceparent?: string | undefined,
): Promise<void> {
  const folded = foldRewardChanges(changes);
  await writeStamps(sql, folded);
  await writeRedemptions(sql, folded);
  await writeCashbacks(sql, folded);
  await redeemClips(sql, folded);
  await writeCollections(sql, folded);
  await writeEvents(sql, events, traceparent);
}

async function writeRedemptions(sql: Sql, { madeRedemptions, undone }: FoldedChanges): Promise<void> {
  if (madeRedemptions.size > 0) {
    const rows = Array.from(madeRedemptions.values(), ({ organisationId, change }) => ({
      id: change.redemptionId,
      organisation_id: organisationId,
      stamp_collection_id: change.stampCollectionId,
      transaction_id: change.transactionId,
      created_at: change.at,
      undone_at: undone.get(change.redemptionId) ?? null,
      stamp_ids: change.stampIds,
    }));
    await sql`
      insert into redemptions (
        id, organisation_id, stamp_collection_id, transaction_id, created_at, undone_at, stamp_ids
      )
      select id, organisation_id, stamp_collection_id, transaction_id, created_at, undone_at,
             array(select json_array_elements_text(stamp_ids)::uuid)
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as made (
        id uuid, organisation_id uuid, stamp_collection_id uuid, transaction_id uuid, created_at timestamptz,
        undone_at timestamptz, stamp_ids json
      )`;
  }
  const others = Array.from(undone).filter(([id]) => !madeRedemptions.has(id));
  if (others.length === 0) return;
  await sql`
    update redemptions set undone_at = undone.at
    from unnest(${others.map(([id]) => id)}::uuid[], ${others.map(([, at]) => at)}::text[]::timestamptz[])
      as undone (id, at)
    where redemptions.id = undone.id`;
}

async function redeemClips(sql: Sql, { clips }: FoldedChanges): Promise<void> {
  if (clips.size === 0) return;
  await sql`
    update clips set redeemed_at = redeemed.at
    from unnest(${[...clips.keys()]}::uuid[], ${[...clips.values()]}::text[]::timestamptz[]) as redeemed (id, at)
    where clips.id = redeemed.id`;
}

async function writeCollections(sql: Sql, { collections }: FoldedChanges): Promise<void> {
  if (collections.size === 0) return;
  const rows = Array.from(collections, ([id, { nextPosition, counter }]) => ({
    id,
    next_position: nextPosition,
    counted: counter !== null,
    unredeemed_purchases: counter?.unredeemedPurchases ?? null,
    waiting_threshold: counter?.waitingThreshold ?? null,
    pending_redemptions: counter?.pendingRedemptionIds ?? [],
  }));
  await sql`
    update stamp_collections set
      next_position = coalesce(changed.next_position, stamp_collections.next_position),
      unredeemed_purchases = case when counted then changed.unredeemed_purchases
        else stamp_collections.unredeemed_purchases end,
      waiting_threshold = case when counted then changed.waiting_threshold
        else stamp_collections.waiting_threshold end,
      pending_redemptions = case when counted
        then array(select json_array_elements_text(changed.pending_redemptions)::uuid)
        else stamp_collections.pending_redemptions end
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as changed (
      id uuid, next_position bigint, counted boolean, unredeemed_purchases int, waiting_threshold int,
      pending_redemptions json
    )
    where stamp_collections.id = changed.id`;
}
