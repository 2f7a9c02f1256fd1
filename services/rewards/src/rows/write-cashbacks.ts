import type { CashbackSource } from "#domain";
import type { Sql } from "#postgres";
import type { FoldedChanges, Settling } from "./fold-reward-changes.ts";

export async function writeCashbacks(sql: Sql, { madeCashbacks, settled }: FoldedChanges): Promise<void> {
  await insertCashbacks(sql, madeCashbacks, settled);
  await settleCashbacks(
    sql,
    Array.from(settled).filter(([id]) => !madeCashbacks.has(id)),
  );
}

/** As they are at the end of the batch. */
async function insertCashbacks(
  sql: Sql,
  madeCashbacks: FoldedChanges["madeCashbacks"],
  settled: FoldedChanges["settled"],
): Promise<void> {
  if (madeCashbacks.size === 0) return;
  const rows = Array.from(madeCashbacks.values(), ({ organisationId, memberId, cashback, at }) => {
    const settling = settled.get(cashback.id);
    return {
      id: cashback.id,
      organisation_id: organisationId,
      transaction_id: cashback.transactionId,
      amount: cashback.amount,
      created_at: at,
      cleared_at: settling?.clearedAt ?? null,
      reverted_at: settling?.revertedAt ?? null,
      member_id: memberId,
      ...sourceColumns(cashback.source),
      transaction_ref: cashback.transactionRef,
      state: settling === undefined ? "pending" : stateOf(settling),
      currency: cashback.currency,
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
    )`;
}

async function settleCashbacks(sql: Sql, settled: readonly [string, Settling][]): Promise<void> {
  if (settled.length === 0) return;
  const rows = settled.map(([id, settling]) => ({
    id,
    cleared_at: settling.clearedAt,
    reverted_at: settling.revertedAt,
    state: stateOf(settling),
  }));
  await sql`
    update cashbacks set
      state = settled.state, cleared_at = settled.cleared_at, reverted_at = settled.reverted_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as settled (
      id uuid, cleared_at timestamptz, reverted_at timestamptz, state text
    )
    where cashbacks.id = settled.id`;
}

/** Final states exclude each other: no rule reverts what has cleared. */
function stateOf({ clearedAt }: Settling): "cleared" | "reverted" {
  return clearedAt === null ? "reverted" : "cleared";
}

/** Absent ones are null. */
function sourceColumns(source: CashbackSource) {
  return source.type === "clip"
    ? { clip_id: source.clipId, deal_id: source.dealId }
    : {
        loyalty_program_id: source.loyaltyProgramId,
        stamp_collection_id: source.stampCollectionId,
        redemption_id: source.redemptionId,
      };
}
