import { LIMITS, type Outcome, type Settlement } from "#contract";
import { encodeId, outcomeId } from "#domain";
import type { World } from "../world.ts";
import { type PackedMessage, packEntries } from "./publish-packed.ts";
import { PLAIN_PER_EARNED, type RewardPlan, type Settling, settlingOf, stateOf } from "./reward-plan.ts";

/** Full messages of ingest: two make a batch of the receiver's. */
const SETTLEMENTS_PER_MESSAGE = LIMITS.rowsPerBatch / 2;

/** What the platform would publish, in full messages. */
export function outcomeMessages(plan: RewardPlan): PackedMessage[] {
  const outcomes = plan.outcomes.map((_, number) => JSON.stringify(outcomeOf(plan, number)));
  return packEntries("outcomes", outcomes, LIMITS.outcomesPerMessage);
}

function outcomeOf(plan: RewardPlan, number: number): Outcome {
  const outcome = plan.outcomes[number] as (typeof plan.outcomes)[number];
  const transactionId = plan.transactionId(number);
  const transaction_id = encodeId("tx", transactionId);
  const amount = plan.amountOf(number);
  if (outcome.kind === "deal") {
    const clipId = (plan.clips[outcome.clip] as (typeof plan.clips)[number]).id;
    const outcome_id = encodeId("out", outcomeId(transactionId, { type: "clip", clipId }));
    const clip_id = encodeId("clip", clipId);
    return { outcome_id, transaction_id, type: "deal", clip_id, amount, currency: "EUR" };
  }
  const { id, program } = plan.collections[outcome.collection] as (typeof plan.collections)[number];
  const programId = (plan.programs[program] as (typeof plan.programs)[number]).id;
  return {
    outcome_id: encodeId("out", outcomeId(transactionId, { type: "program", programId })),
    transaction_id,
    type: "qualifying_purchase",
    stamp_collection_id: encodeId("sc", id),
    purchase_amount: amount,
    currency: "EUR",
  };
}

export interface SettledTransaction {
  readonly number: number;
  readonly state: "cleared" | "reverted";
}

/** The transactions of outcomes that are settled in this phase. */
export function earnedOf(plan: RewardPlan, phase: Settling): SettledTransaction[] {
  return plan.outcomes.flatMap((outcome, number) => {
    const { settling, state } = settlingOf(outcome);
    return settling === phase ? { number, state } : [];
  });
}

/** How many transactions without an outcome the mixed phase needs. */
export function plainOf(plan: RewardPlan): number {
  return PLAIN_PER_EARNED * earnedOf(plan, "mixed").length;
}

/** One that has earned something, nine that have not, and so on. */
export function mixedOf(plan: RewardPlan): SettledTransaction[] {
  let plain = plan.spec.outcomes;
  return earnedOf(plan, "mixed").flatMap((earned) => [
    earned,
    ...Array.from({ length: PLAIN_PER_EARNED }, () => {
      const number = plain++;
      return { number, state: stateOf(number) };
    }),
  ]);
}

/** What ingest would publish, in full messages. */
export function settlementMessages(
  plan: RewardPlan,
  world: World,
  settled: readonly SettledTransaction[],
): PackedMessage[] {
  const entries = settled.map(({ number, state }) => {
    const settlement: Settlement = {
      transaction: plan.transactionId(number),
      organisation: world.organisationId,
      state,
    };
    return JSON.stringify(settlement);
  });
  return packEntries("settlements", entries, SETTLEMENTS_PER_MESSAGE);
}
