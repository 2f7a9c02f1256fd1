import type { Sql } from "#postgres";
import type { FoldedChanges, StampChange } from "./fold-reward-changes.ts";

export async function writeStamps(sql: Sql, { madeStamps, stamps }: FoldedChanges): Promise<void> {
  await insertStamps(sql, madeStamps, stamps);
  const others = Array.from(stamps.values()).filter(({ id }) => !madeStamps.has(id));
  await updateStamps(sql, others);
}

/** As they are at the end of the batch. */
async function insertStamps(
  sql: Sql,
  madeStamps: FoldedChanges["madeStamps"],
  changes: FoldedChanges["stamps"],
): Promise<void> {
  if (madeStamps.size === 0) return;
  const rows = Array.from(madeStamps.values(), ({ organisationId, stampCollectionId, stamp }) => {
    const change = changes.get(stamp.id);
    return {
      position: stamp.position,
      created_at: stamp.createdAt,
      id: stamp.id,
      organisation_id: organisationId,
      stamp_collection_id: stampCollectionId,
      transaction_id: stamp.transaction.id,
      voided_at: change?.voidedAt ?? null,
      purchase_amount: stamp.purchaseAmount,
      redemption_id: change?.redemptionId ?? null,
      transaction_ref: stamp.transaction.ref,
      currency: stamp.currency,
    };
  });
  await sql`
    insert into qualifying_purchases (
      position, created_at, id, organisation_id, stamp_collection_id, transaction_id, voided_at, purchase_amount,
      redemption_id, transaction_ref, currency
    )
    select position, created_at, id, organisation_id, stamp_collection_id, transaction_id, voided_at, purchase_amount,
           redemption_id, transaction_ref, currency
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as made (
      position bigint, created_at timestamptz, id uuid, organisation_id uuid, stamp_collection_id uuid,
      transaction_id uuid, voided_at timestamptz, purchase_amount bigint, redemption_id uuid, transaction_ref text,
      currency text
    )`;
}

async function updateStamps(sql: Sql, changes: readonly StampChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ id, voidedAt, isMoved, redemptionId }) => ({
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
    where q.id = changed.id`;
}
