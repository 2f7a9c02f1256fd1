import { applySettlement, type RewardContext, type RewardTransaction } from "#domain";
import type { BatchContext } from "./batch-context.ts";
import { RewardDraft } from "./reward-draft.ts";
import type { LoadedRewards, LoadedTarget, RewardWrites } from "./rows/reward-batch.ts";

export type SettlementResult = "changed" | "unchanged";

export interface DecidedSettlements {
  /** One for each transaction. */
  readonly results: readonly SettlementResult[];
  readonly writes: RewardWrites;
}

/**
 * Tells everything that transactions have earned what became of them (contract, section 9), in the order given. What a
 * settlement said of the state is not asked for: the transaction as loaded knows as much or more.
 * @param transactionIds UUIDs, each once
 */
export function decideSettlements(
  loaded: LoadedRewards,
  transactionIds: readonly string[],
  context: BatchContext,
): DecidedSettlements {
  const draft = new RewardDraft(loaded, context);
  const results = transactionIds.map((id): SettlementResult => {
    const transaction = loaded.transactions.get(id);
    if (transaction === undefined) return "unchanged";
    let result: SettlementResult = "unchanged";
    for (const targetId of loaded.touched.get(id) ?? []) {
      const target = draft.find(targetId);
      if (target === undefined) continue;
      const step = settle(target, transaction, context);
      draft.take(targetId, target, step);
      if (step.changes.length > 0) result = "changed";
    }
    return result;
  });
  return { results, writes: draft.writes };
}

function settle({ state }: LoadedTarget, transaction: RewardTransaction, context: RewardContext) {
  return state.kind === "clip"
    ? applySettlement(state, transaction, context)
    : applySettlement(state, transaction, context);
}
