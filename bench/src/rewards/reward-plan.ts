import { LIMITS } from "#contract";
import type { Settlement } from "#contract/ingest";
import type { Outcome } from "#contract/platform";
import { encodeId } from "#domain";
import { outcomeId } from "../../../services/platform/src/rules/rules.ts";
import { EPOCH_MS, type World } from "../ingest/world.ts";
import { mix, seededUuid } from "../kit/random.ts";
import { type PackedMessage, packEntries } from "./stream-messages.ts";

/**
 * even: all alike. hot-member: half of the outcomes are for one member's collections. hot-program: there is
 * only one program.
 */
export const SHAPES = ["even", "hot-member", "hot-program"] as const;
export type Shape = (typeof SHAPES)[number];

/**
 * Defines a run of the reward engine: everything follows from this, in the database, in messages and in the
 * expectation.
 */
interface RewardSpec {
  readonly seed: number;
  readonly outcomes: number;
  readonly shape: Shape;
}

/** The thresholds of the programs, in turn. */
const THRESHOLDS = [5, 6, 7, 8, 9, 10] as const;
const PROGRAMS = 12;
const STAMPS_PER_COLLECTION = 8;
/** Outcomes of a round: two deals, five purchases that may be the hot member's, three that are not. */
const ROUND = 10;
const DEALS_OF_ROUND: readonly number[] = [0, 5];
const OTHERS_OF_ROUND: readonly number[] = [4, 8, 9];
const TRANSACTIONS_PER_MS = 20;

/** When a card or clip is settled: "mixed", among many that have earned nothing; "earned"; or not at all. */
export type Settling = "mixed" | "earned" | "never";

/** Of each twenty cards and clips. */
const SETTLED_MIXED = 3;
const SETTLED_EARNED = 10;
/** One in this many is reverted, like in the ingest workload; the others clear. */
const REVERTED_EVERY = 6;
/** Settled transactions that have earned nothing, for each one that has. */
const PLAIN_PER_EARNED = 9;

interface Collection {
  readonly id: string;
  /** Number of the member. */
  readonly member: number;
  readonly program: number;
}

/** One outcome: it concerns the transaction with its number. */
type PlannedOutcome =
  | { readonly kind: "purchase"; readonly collection: number }
  | { readonly kind: "deal"; readonly clip: number };

/**
 * Members with a stamp collection each, and one more with one in every program; clips; and outcomes, one in
 * five for a deal. All transactions of a collection end alike (all clear, or all are reverted), so that the
 * result does not depend on the order in which two concurrent batches were applied.
 */
export class RewardPlan {
  readonly spec: RewardSpec;
  readonly programs: readonly { readonly id: string; readonly threshold: number }[];
  readonly deals: readonly string[];
  readonly collections: readonly Collection[];
  readonly clips: ReadonlyArray<{ readonly id: string; readonly member: number; readonly deal: number }>;
  readonly outcomes: readonly PlannedOutcome[];
  readonly members: number;

  constructor(spec: RewardSpec) {
    this.spec = spec;
    const { seed, outcomes, shape } = spec;
    const rounds = Math.ceil(outcomes / ROUND);
    const clips = rounds * DEALS_OF_ROUND.length;
    const cards = Math.max(1, Math.round((rounds * (ROUND - DEALS_OF_ROUND.length)) / STAMPS_PER_COLLECTION));
    this.members = cards + 1;
    const programs = shape === "hot-program" ? 1 : PROGRAMS;
    this.programs = Array.from({ length: programs }, (_, i) => ({
      id: this.#id(1, i),
      threshold: THRESHOLDS[(shape === "hot-program" ? 3 : i) % THRESHOLDS.length] as number,
    }));
    const own = Array.from({ length: cards }, (_, i) => ({ member: i, program: i % programs }));
    const ofHotMember = Array.from({ length: programs }, (_, i) => ({ member: cards, program: i }));
    this.collections = [...own, ...ofHotMember].map((one, i) => ({ id: this.#id(2, i), ...one }));
    this.clips = Array.from({ length: clips }, (_, i) => ({
      id: this.#id(3, i),
      member: i % cards,
      deal: Math.floor(i / cards),
    }));
    this.deals = Array.from({ length: Math.ceil(clips / cards) }, (_, i) => this.#id(4, i));
    this.outcomes = Array.from({ length: outcomes }, (_, number): PlannedOutcome => {
      const place = number % ROUND;
      const deal = DEALS_OF_ROUND.indexOf(place);
      if (deal >= 0) {
        const clip = Math.floor(number / ROUND) * DEALS_OF_ROUND.length + deal;
        return { kind: "deal", clip };
      }
      const isHot = shape === "hot-member" && !OTHERS_OF_ROUND.includes(place);
      const collection = isHot ? cards + (number % programs) : mix(seed + 51, number) % cards;
      return { kind: "purchase", collection };
    });
  }

  /** UUID and `external_id` of a transaction; those past the outcomes have earned nothing. */
  transactionId(number: number): string {
    return seededUuid(EPOCH_MS + Math.floor(number / TRANSACTIONS_PER_MS), this.spec.seed + 57, number);
  }

  /** Number of the member of this transaction. */
  memberOf(number: number): number {
    const outcome = this.outcomes[number];
    if (outcome === undefined) return mix(this.spec.seed + 52, number) % this.members;
    const target = outcome.kind === "deal" ? this.clips[outcome.clip] : this.collections[outcome.collection];
    return (target as { readonly member: number }).member;
  }

  /** Minor units, of EUR. */
  amountOf(number: number): number {
    return 100 + (mix(this.spec.seed + 53, number) % 20_000);
  }

  #id(kind: number, number: number): string {
    return seededUuid(EPOCH_MS - 1000 + kind, this.spec.seed + 60 + kind, number);
  }
}

/** The end of the transactions of a card or clip. */
export function settlingOf(outcome: PlannedOutcome): {
  readonly settling: Settling;
  readonly state: "cleared" | "reverted";
} {
  const number = outcome.kind === "deal" ? outcome.clip : outcome.collection;
  const place = number % 20;
  return {
    settling: place < SETTLED_MIXED ? "mixed" : place < SETTLED_EARNED ? "earned" : "never",
    state: stateOf(Math.floor(number / 20)),
  };
}

export function stateOf(number: number): "cleared" | "reverted" {
  return number % REVERTED_EVERY === 0 ? "reverted" : "cleared";
}

/** Full messages of ingest: two make a batch of the receiver's. */
const SETTLEMENTS_PER_MESSAGE = LIMITS.rowsPerBatch / 2;

/** The platform's publications, in full messages. */
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

interface SettledTransaction {
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

/** The number of transactions without an outcome that the mixed phase needs. */
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

/** Ingest's publications, in full messages. */
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
