import { CollectionDraft } from "./collection-draft.ts";
import type { Program, Stamp, StampCollection } from "./reward-state.ts";
import type { RewardContext, RewardStep } from "./reward-step.ts";

/**
 * Redeems while the counter reaches the threshold in force (contract, section 9). Applying an outcome and
 * undoing a redemption judge by themselves. Judging at any other moment would let a lowered threshold apply
 * before its time.
 */
export function judgeCollection(
  collection: StampCollection,
  context: RewardContext,
): RewardStep<StampCollection> {
  const draft = new CollectionDraft(collection, context);
  judge(draft, draft.program?.threshold);
  return draft.finish(null);
}

/**
 * @param threshold the one in force, or for stamps that waited, the one that they had reached; undefined
 * without a program, and then nothing is redeemed
 */
export function judge(draft: CollectionDraft, threshold: number | undefined): void {
  // A stamp whose transaction was reverted at the same moment must not count for a redemption.
  for (const stamp of draft.unredeemed) {
    if (draft.asOfMoment(stamp.transaction).state === "reverted") draft.voidStamp(stamp);
  }
  if (draft.program === null || threshold === undefined) return;
  if (!(threshold >= 1)) throw new RangeError(`a threshold of ${threshold}`);
  draft.waitingThreshold = null;
  for (let due = draft.unredeemed; due.length >= threshold; due = draft.unredeemed) {
    const stamps = due.slice(0, threshold);
    const newest = stamps.at(-1) as Stamp;
    const reward = rewardFor(draft.program, newest);
    if (reward === undefined) {
      draft.waitingThreshold = threshold;
      return;
    }
    draft.redeem(stamps, newest, reward);
  }
}

/** The stamp whose amount or currency the waiting stamps need. */
export function awaitedStamp(draft: CollectionDraft): Stamp | undefined {
  return draft.waitingThreshold === null ? undefined : draft.unredeemed[draft.waitingThreshold - 1];
}

/** Judges stamps that waited for an amount or a currency, by the threshold that they had reached. */
export function judgeWaiting(draft: CollectionDraft): void {
  if (draft.waitingThreshold !== null) judge(draft, draft.waitingThreshold);
}

/**
 * What a redemption is worth, by its newest stamp; undefined as long as the amount or the currency is
 * unknown.
 */
function rewardFor(program: Program, newest: Stamp): { amount: number; currency: string } | undefined {
  const { transaction } = newest;
  const amount =
    program.reward.type === "fixed-reward"
      ? program.reward.amount
      : (newest.purchaseAmount ?? transaction.amount);
  const currency = newest.currency ?? transaction.currency ?? program.currency;
  return amount === null || currency === null ? undefined : { amount, currency };
}
