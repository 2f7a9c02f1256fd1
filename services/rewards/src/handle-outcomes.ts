import { FLOW, type Issue, LANES } from "#contract";
import type { Outcome as WireOutcome } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId } from "#domain";
import type { DealOutcome, PurchaseOutcome } from "#domain/rewards";
import { type BatchHandler, readPacked, type StreamMessage, toMessageResult, type UnreadReason } from "#nats";
import { batchApplier, buryEntry, type HandlerParts } from "./apply-batch.ts";
import { decideOutcomes, type OutcomeToApply } from "./decide-rewards.ts";
import type { OutcomeLabel } from "./metrics.ts";
import {
  type LoadedRewards,
  lockForOutcomes,
  type OutcomeSubject,
  type RewardTarget,
} from "./rows/lock-for-outcomes.ts";

/**
 * Handles outcomes of the platform, a batch at a time: read, lock and load, decide, write together with the webhook events,
 * commit, in parts side by side (`LANES.rewardParts`); then bury what cannot be applied. A message with an invalid outcome in
 * it is done even so: that outcome has a dead letter of its own.
 *
 * A crash before the commit leaves nothing. After a later crash the whole batch comes again: outcomes that were applied are
 * recognised (the transaction has its stamp, the clip is redeemed), and a letter that was stored gets the same id.
 */
export function createOutcomeHandler(parts: HandlerParts<OutcomeLabel>): BatchHandler {
  const { stream, metrics, log } = parts;
  const apply = batchApplier<PlacedOutcome, LoadedRewards, OutcomeLabel>(parts, {
    lock: lockForOutcomes,
    decide: decideOutcomes,
  });
  return async (messages, span) => {
    const { faults, outcomes, unknown, invalid } = readOutcomes(messages.map(({ data }) => data));
    const applied = splitByTarget(outcomes, LANES.rewardParts).map((part) => apply(part, span));
    const refused = (await Promise.all(applied)).flat();
    const placeOf = ({ message, said }: { message: number; said: unknown }) => {
      const { sequence } = messages[message] as StreamMessage;
      return { hop: FLOW.outcomes.stream, sequence, as: "outcome", entry: said } as const;
    };
    for (const one of invalid) {
      await buryEntry(stream, log, { reason: "invalid_outcome", ...placeOf(one), issues: one.issues });
    }
    for (const { item, error } of refused) {
      await buryEntry(stream, log, { reason: "refused_by_database", ...placeOf(item), error });
    }
    metrics.notApplied(unknown);
    metrics.notApplied(invalid.map(() => "invalid"));
    metrics.notApplied(refused.map(() => "refused"));
    return { outcomes: faults.map(toMessageResult) };
  };
}

/** An outcome and where it came from, in case it has to be buried. */
interface PlacedOutcome extends OutcomeToApply {
  /** Index of its message in the batch. */
  readonly message: number;
  /** As it came. */
  readonly said: WireOutcome;
}

/** An entry that the schema refuses. */
interface InvalidOutcome {
  readonly message: number;
  readonly said: unknown;
  readonly issues: readonly Issue[];
}

/** An outcome about an id of another form: it can name nothing stored, so the database is not asked. */
type UnknownOutcome = "unknown_target" | "unknown_transaction";

interface ReadOutcomes {
  /** For each message, why nothing of it can be read; undefined if it can. */
  readonly faults: readonly (UnreadReason | undefined)[];
  readonly outcomes: readonly PlacedOutcome[];
  readonly unknown: readonly UnknownOutcome[];
  readonly invalid: readonly InvalidOutcome[];
}

/** Takes the messages of a batch apart, and validates each outcome by itself. */
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
  const isDeal = said.type === "deal";
  const id = isDeal ? decodeId("clip", said.clip_id) : decodeId("sc", said.stamp_collection_id);
  return id === undefined ? undefined : { kind: isDeal ? "clip" : "collection", id };
}

function toFinding(said: WireOutcome): PurchaseOutcome | DealOutcome {
  if (said.type === "deal") return { type: said.type, amount: said.amount, currency: said.currency };
  return {
    type: said.type,
    purchaseAmount: said.purchase_amount ?? null,
    currency: said.currency ?? null,
  };
}

/**
 * Cuts a batch into parts that lock no collection and no clip in common, so that they can be applied side by side; each part
 * keeps its order. Whole batches side by side would not do: members come again so soon that nearly every batch would wait for
 * the one before it. A transaction may be in several parts, since its lock is shared.
 */
export function splitByTarget<T extends OutcomeSubject>(outcomes: readonly T[], parts: number): T[][] {
  const split = Array.from({ length: parts }, (): T[] => []);
  for (const outcome of outcomes) split[partOf(outcome.target.id, parts)]?.push(outcome);
  return split;
}

/** @param id a UUID, whose last digits are random */
function partOf(id: string, parts: number): number {
  return Number.parseInt(id.slice(-4), 16) % parts;
}
