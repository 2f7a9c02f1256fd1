import { describeViolation, type Issue, MESSAGE_VALIDATORS, type Outcome as WireOutcome } from "#contract";
import { type DealOutcome, decodeId, type PurchaseOutcome } from "#domain";
import { readPacked, type UnreadReason } from "#nats";
import type { RewardTarget } from "#store";
import type { OutcomeToApply } from "./decide-outcomes.ts";

/** An outcome with where it came from, should it have to be buried. */
export interface PlacedOutcome extends OutcomeToApply {
  /** Place of its message in the batch. */
  readonly message: number;
  /** As it came. */
  readonly said: WireOutcome;
}

/** What is not as the schema says. */
export interface InvalidOutcome {
  readonly message: number;
  readonly said: unknown;
  readonly issues: readonly Issue[];
}

/** An outcome about an id that is not one of ours, in whatever form; no look into the database is needed. */
export type UnknownOutcome = "unknown_target" | "unknown_transaction";

export interface ReadOutcomes {
  /** For each message why nothing of it can be read, or undefined. */
  readonly faults: readonly (UnreadReason | undefined)[];
  readonly outcomes: readonly PlacedOutcome[];
  readonly unknown: readonly UnknownOutcome[];
  readonly invalid: readonly InvalidOutcome[];
}

/** Takes the messages of a batch apart, and judges each outcome by itself. */
export function readOutcomes(messages: readonly Uint8Array[]): ReadOutcomes {
  const outcomes: PlacedOutcome[] = [];
  const unknown: UnknownOutcome[] = [];
  const invalid: InvalidOutcome[] = [];
  const validate = MESSAGE_VALIDATORS.outcome;
  const faults = messages.map((data, message) => {
    const entries = readPacked(data, "outcomes");
    if (typeof entries === "string") return entries;
    for (const said of entries) {
      if (!validate(said)) {
        invalid.push({ message, said, issues: (validate.errors ?? []).map(describeViolation) });
        continue;
      }
      const outcome = decode(said as WireOutcome);
      if (typeof outcome === "string") unknown.push(outcome);
      else outcomes.push({ ...outcome, message, said: said as WireOutcome });
    }
    return undefined;
  });
  return { faults, outcomes, unknown, invalid };
}

function decode(said: WireOutcome): OutcomeToApply | UnknownOutcome {
  const target = decodeTarget(said);
  if (target === undefined) return "unknown_target";
  const transactionId = decodeId("tx", said.transaction_id);
  if (transactionId === undefined) return "unknown_transaction";
  return { transactionId, target, finding: toFinding(said) };
}

function decodeTarget(said: WireOutcome): RewardTarget | undefined {
  const [kind, id] =
    said.type === "deal"
      ? (["clip", decodeId("clip", said.clip_id)] as const)
      : (["collection", decodeId("sc", said.stamp_collection_id)] as const);
  return id === undefined ? undefined : { kind, id };
}

function toFinding(said: WireOutcome): PurchaseOutcome | DealOutcome {
  if (said.type === "deal") return { type: said.type, amount: said.amount, currency: said.currency };
  return {
    type: said.type,
    purchaseAmount: said.purchase_amount ?? null,
    currency: said.currency ?? null,
  };
}
