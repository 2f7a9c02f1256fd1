import type { CashbackSource } from "#domain/rewards";
import type { Sql, Transaction } from "#postgres";
import { type StoredEvent, writeEvents } from "#publisher-db";
import { type DealCandidate, keepCandidates } from "./deal-candidates.ts";
import { type EarlyOutcome, keepEarly } from "./early-outcomes.ts";
import {
  type FoldedChanges,
  foldRewardChanges,
  type OwnedChange,
  type Settling,
} from "./fold-reward-changes.ts";

/** The writes of one batch, in the order of the decisions. */
export interface RewardWrites {
  readonly changes: readonly OwnedChange[];
  readonly events: readonly StoredEvent[];
  /** Outcomes of purchases that found their clip redeemed by another one. */
  readonly candidates?: readonly DealCandidate[];
  /** Outcomes whose transactions are not stored yet, or whose cards are full. */
  readonly early?: readonly EarlyOutcome[];
}

/**
 * Writes the changes and events of a batch, in the database transaction that locked and loaded it
 * (`lockForOutcomes`, `lockForSettlements`): one statement for each kind of row that changes. Events are
 * numbered in the given order. All statements are sent together, and the server runs them in that order; if
 * one fails, the later ones do nothing.
 * @param traceparent of the batch's span, if it is traced: events keep it
 */
export async function writeRewards(
  sql: Transaction,
  { changes, events, candidates = [], early = [] }: RewardWrites,
  traceparent?: string | undefined,
): Promise<void> {
  const folded = foldRewardChanges(changes);
  await Promise.all([
    insertStamps(sql, folded),
    updateStamps(sql, folded),
    insertRedemptions(sql, folded),
    undoRedemptions(sql, folded),
    insertCashbacks(sql, folded),
    settleCashbacks(sql, folded),
    writeClips(sql, folded),
    writeCollections(sql, folded),
    keepCandidates(sql, candidates),
    keepEarly(sql, early),
    writeEvents(sql, events, traceparent),
  ]);
}

/** Inserts stamps in their state at the end of the batch. */
async function insertStamps(sql: Sql, { madeStamps, stamps }: FoldedChanges): Promise<void> {
  if (madeStamps.size === 0) return;
  const rows = Array.from(madeStamps.values(), ({ organisationId, change: { stamp, stampCollectionId } }) => {
    const change = stamps.get(stamp.id);
    return {
      position: stamp.position,
      created_at: stamp.createdAt,
      id: stamp.id,
      organisation_id: organisationId,
      stamp_collection_id: stampCollectionId,
      transaction_id: stamp.transaction.id,
      voided_at: change?.voidedAt ?? null,
      purchase_amount: stamp.purchaseAmount,
      reward_config: stamp.reward,
      redemption_id: change?.redemptionId ?? null,
      transaction_ref: stamp.transaction.ref,
      currency: stamp.currency,
    };
  });
  await sql`
    insert into qualifying_purchases (
      position, created_at, id, organisation_id, stamp_collection_id, transaction_id, voided_at, purchase_amount,
      redemption_id, transaction_ref, currency, reward_config
    )
    select position, created_at, id, organisation_id, stamp_collection_id, transaction_id, voided_at, purchase_amount,
           redemption_id, transaction_ref, currency, reward_config
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as made (
      position bigint, created_at timestamptz, id uuid, organisation_id uuid, stamp_collection_id uuid,
      transaction_id uuid, voided_at timestamptz, purchase_amount bigint, redemption_id uuid, transaction_ref text,
      currency text, reward_config jsonb
    )`.send();
}

async function updateStamps(sql: Sql, { madeStamps, stamps }: FoldedChanges): Promise<void> {
  const others = [...stamps.values()].filter(({ id }) => !madeStamps.has(id));
  if (others.length === 0) return;
  const rows = others.map(({ id, voidedAt, isMoved, redemptionId }) => ({
    id,
    voided_at: voidedAt,
    moved: isMoved,
    redemption_id: redemptionId,
  }));
  await sql`
    update qualifying_purchases q set
      voided_at = coalesce(changed.voided_at, q.voided_at),
      redemption_id = case when changed.moved then changed.redemption_id else q.redemption_id end
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as changed (
      id uuid, voided_at timestamptz, moved boolean, redemption_id uuid
    )
    where q.id = changed.id`.send();
}

/** Inserts redemptions in their state at the end of the batch. */
async function insertRedemptions(sql: Sql, { madeRedemptions, undone }: FoldedChanges): Promise<void> {
  if (madeRedemptions.size === 0) return;
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
    )`.send();
}

async function undoRedemptions(sql: Sql, { madeRedemptions, undone }: FoldedChanges): Promise<void> {
  const others = Array.from(undone).filter(([id]) => !madeRedemptions.has(id));
  if (others.length === 0) return;
  await sql`
    update redemptions set undone_at = undone.at
    from unnest(${others.map(([id]) => id)}::uuid[], ${others.map(([, at]) => at)}::text[]::timestamptz[])
      as undone (id, at)
    where redemptions.id = undone.id`.send();
}

/** Inserts cashbacks in their state at the end of the batch. */
async function insertCashbacks(sql: Sql, { madeCashbacks, settled }: FoldedChanges): Promise<void> {
  if (madeCashbacks.size === 0) return;
  const rows = Array.from(madeCashbacks.values(), ({ organisationId, memberId, change }) => {
    const { cashback, at } = change;
    const settling = settled.get(cashback.id);
    return {
      id: cashback.id,
      organisation_id: organisationId,
      transaction_id: cashback.transactionId,
      amount: settling?.worth?.amount ?? cashback.amount,
      created_at: at,
      cleared_at: settling?.clearedAt ?? null,
      reverted_at: settling?.revertedAt ?? null,
      member_id: memberId,
      ...sourceColumns(cashback.source),
      transaction_ref: cashback.transactionRef,
      state: settling === undefined ? "pending" : stateOf(settling),
      currency: settling?.worth?.currency ?? cashback.currency,
    };
  });
  await sql`
    insert into cashbacks (
      id, organisation_id, transaction_id, amount, created_at, cleared_at, reverted_at, member_id, clip_id, deal_id,
      loyalty_program_id, stamp_collection_id, redemption_id, transaction_ref, state, currency
    )
    select id, organisation_id, transaction_id, amount, created_at, cleared_at, reverted_at, member_id, clip_id,
           deal_id, loyalty_program_id, stamp_collection_id, redemption_id, transaction_ref, state, currency
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as made (
      id uuid, organisation_id uuid, transaction_id uuid, amount bigint, created_at timestamptz,
      cleared_at timestamptz, reverted_at timestamptz, member_id uuid, clip_id uuid, deal_id uuid,
      loyalty_program_id uuid, stamp_collection_id uuid, redemption_id uuid, transaction_ref text, state text,
      currency text
    )`.send();
}

async function settleCashbacks(sql: Sql, { madeCashbacks, settled }: FoldedChanges): Promise<void> {
  const others = [...settled].filter(([id]) => !madeCashbacks.has(id));
  if (others.length === 0) return;
  const rows = others.map(([id, settling]) => ({
    id,
    cleared_at: settling.clearedAt,
    reverted_at: settling.revertedAt,
    state: stateOf(settling),
    amount: settling.worth?.amount ?? null,
    currency: settling.worth?.currency ?? null,
  }));
  await sql`
    update cashbacks set
      state = settled.state, cleared_at = settled.cleared_at, reverted_at = settled.reverted_at,
      amount = coalesce(settled.amount, cashbacks.amount), currency = coalesce(settled.currency, cashbacks.currency)
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as settled (
      id uuid, cleared_at timestamptz, reverted_at timestamptz, state text, amount bigint, currency text
    )
    where cashbacks.id = settled.id`.send();
}

/** A settling has only one of the two times: no rule reverts a cleared cashback. */
function stateOf({ clearedAt }: Settling): "cleared" | "reverted" {
  return clearedAt === null ? "reverted" : "cleared";
}

/** The columns of a cashback's source; absent columns are null. */
function sourceColumns(source: CashbackSource) {
  return source.type === "clip"
    ? { clip_id: source.clipId, deal_id: source.dealId }
    : {
        loyalty_program_id: source.loyaltyProgramId,
        stamp_collection_id: source.stampCollectionId,
        redemption_id: source.redemptionId,
      };
}

/**
 * A clip that is open again may count for earlier purchases, like a new one: ingest publishes their records again. If ingest is
 * publishing the clip right now, this waits for its end, as in `noteLinks`.
 */
async function writeClips(sql: Sql, { clips }: FoldedChanges): Promise<void> {
  if (clips.size === 0) return;
  await sql`
    with changed as (
      update clips set redeemed_at = redeemed.at
      from unnest(${[...clips.keys()]}::uuid[], ${[...clips.values()]}::text[]::timestamptz[]) as redeemed (id, at)
      where clips.id = redeemed.id
      returning clips.id, clips.created_at, clips.member_id, clips.deal_id, clips.redeemed_at
    )
    insert into new_links (id, made_at, member_id, deal_id)
    select id, created_at, member_id, deal_id from changed where redeemed_at is null
    order by id
    on conflict (id) do update set made_at = excluded.made_at`.send();
}

async function writeCollections(sql: Sql, { collections }: FoldedChanges): Promise<void> {
  if (collections.size === 0) return;
  const rows = Array.from(collections, ([id, { nextPosition, counter, pending }]) => ({
    id,
    next_position: nextPosition,
    counted: counter !== null,
    unredeemed_purchases: counter?.unredeemedPurchases ?? null,
    threshold: counter?.threshold ?? null,
    pending_changed: pending.size > 0,
    now_pending: idsWhere(pending, true),
    no_longer_pending: idsWhere(pending, false),
  }));
  await sql`
    update stamp_collections set
      next_position = coalesce(changed.next_position, stamp_collections.next_position),
      unredeemed_purchases = case when counted then changed.unredeemed_purchases
        else stamp_collections.unredeemed_purchases end,
      threshold = case when counted then changed.threshold else stamp_collections.threshold end,
      waiting_threshold = case when counted then null else stamp_collections.waiting_threshold end,
      pending_redemptions = case when pending_changed
        then array(
          select id from unnest(stamp_collections.pending_redemptions) as id
          where id <> all (array(select json_array_elements_text(changed.no_longer_pending)::uuid))
          union all
          select json_array_elements_text(changed.now_pending)::uuid
        )
        else stamp_collections.pending_redemptions end
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as changed (
      id uuid, next_position bigint, counted boolean, unredeemed_purchases int, threshold int,
      pending_changed boolean, now_pending json, no_longer_pending json
    )
    where stamp_collections.id = changed.id`.send();
}

function idsWhere(pending: ReadonlyMap<string, boolean>, isPending: boolean): string[] {
  return [...pending].filter(([, is]) => is === isPending).map(([id]) => id);
}
