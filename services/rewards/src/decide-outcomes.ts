import {
  applyOutcome,
  type Clip,
  type DealOutcome,
  type Ignored,
  linkCounts,
  type PurchaseOutcome,
  type RewardContext,
  type RewardStep,
  type RewardTransaction,
  type StampCollection,
} from "#domain";
import type { BatchContext } from "./batch-context.ts";
import { RewardDraft } from "./reward-draft.ts";
import type { LoadedRewards, OutcomeSubject, RewardWrites } from "./rows/reward-batch.ts";

/** An outcome whose ids are ours in form. */
export interface OutcomeToApply extends OutcomeSubject {
  readonly finding: PurchaseOutcome | DealOutcome;
}

/**
 * What became of an outcome. unknown_target: the collection or the clip is not there, its member was deleted perhaps;
 * unknown_transaction: the target's member has no such transaction; link_too_late: the enrolment or the clip was made after
 * the purchase, for which it does not count. Ingest does not send such links; this is where the money is given.
 */
export type OutcomeResult = "applied" | Ignored | "unknown_target" | "unknown_transaction" | "link_too_late";

export interface DecidedOutcomes {
  /** One for each outcome. */
  readonly results: readonly OutcomeResult[];
  readonly writes: RewardWrites;
}

/** Applies outcomes one after the other, each to what those before it left (contract, section 9). */
export function decideOutcomes(
  loaded: LoadedRewards,
  outcomes: readonly OutcomeToApply[],
  context: BatchContext,
): DecidedOutcomes {
  const draft = new RewardDraft(loaded, context);
  const results = outcomes.map((outcome): OutcomeResult => {
    const target = draft.find(outcome.target.id);
    if (target === undefined) return "unknown_target";
    const transaction = loaded.transactions.get(outcome.transactionId);
    // Another outcome of the batch may have brought it in, for its own member.
    if (transaction === undefined || loaded.members.get(transaction.id) !== target.memberId) {
      return "unknown_transaction";
    }
    const authedAt = loaded.authedAt.get(transaction.id);
    if (target.times !== null && authedAt !== undefined && !linkCounts(target.times, authedAt)) {
      return "link_too_late";
    }
    const step = apply(target.state, transaction, outcome.finding, context);
    if (step === undefined) return "unknown_target";
    draft.take(outcome.target.id, target, step);
    return step.ignored ?? "applied";
  });
  return { results, writes: draft.writes };
}

/** Undefined for the id of a collection that was given as a clip's, or the other way round. */
function apply(
  state: StampCollection | Clip,
  transaction: RewardTransaction,
  finding: PurchaseOutcome | DealOutcome,
  context: RewardContext,
): RewardStep<StampCollection | Clip> | undefined {
  if (state.kind === "collection") {
    return finding.type === "deal" ? undefined : applyOutcome(state, transaction, finding, context);
  }
  return finding.type === "deal" ? applyOutcome(state, transaction, finding, context) : undefined;
}
