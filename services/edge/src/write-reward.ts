import type { AnswerOf } from "#contract";
import { encodeId } from "#domain";
import type { CashbackSource, Reward } from "#publisher-db";

type RewardAnswer = AnswerOf<"transaction/get">["rewards"][number];

/** A cashback as its transaction shows it; `wallet.cashback/list` says the transaction too. */
export function writeReward(reward: Reward): RewardAnswer {
  return {
    id: encodeId("cb", reward.id),
    state: reward.state,
    amount: reward.amount,
    currency: reward.currency,
    source: writeSource(reward.source),
    created_at: reward.createdAt.toISOString(),
    ...(reward.clearedAt !== null && { cleared_at: reward.clearedAt.toISOString() }),
    ...(reward.revertedAt !== null && { reverted_at: reward.revertedAt.toISOString() }),
  };
}

function writeSource(source: CashbackSource): RewardAnswer["source"] {
  switch (source.type) {
    case "clip":
      return {
        type: "clip",
        clip_id: encodeId("clip", source.clipId),
        deal_id: encodeId("deal", source.dealId),
      };
    case "redemption":
      return {
        type: "loyalty-program-redemption",
        loyalty_program_id: encodeId("lp", source.loyaltyProgramId),
        stamp_collection_id: encodeId("sc", source.stampCollectionId),
        redemption_id: encodeId("red", source.redemptionId),
      };
  }
}
