import type { Issue } from "#contract";
import type { Settlement } from "#contract/ingest";
import type { Outcome as WireOutcome } from "#contract/platform";
import { describeViolation, MESSAGE_VALIDATORS } from "#contract/validation";
import { decodeId, isUuid } from "#domain";
import { readPacked, type UnreadReason } from "#nats";
import type { SettledTransaction } from "./store/lock-for-settlements.ts";
import type { OutcomeSubject } from "./store/outcome-subject.ts";

/** An entry and its message, for a dead letter. */
export interface Placed<Said> {
  /** Index of the message in the batch. */
  readonly message: number;
  /** The entry as received. */
  readonly said: Said;
}

export interface PlacedOutcome extends OutcomeSubject, Placed<WireOutcome> {}

/**
 * The result for an outcome with an id of another form: it can name nothing stored, so the database is not
 * asked.
 */
type UnknownOutcome = "unknown_target" | "unknown_transaction";

/**
 * Splits the messages of a batch into outcomes, and validates each separately. `faults` says for each message
 * why it cannot be read; undefined: it can. `invalid` are the entries that the schema refuses.
 * @param moments for each message, its `OutcomeSubject.moment`
 */
export function readOutcomes(messages: readonly Uint8Array[], moments: readonly (number | undefined)[] = []) {
  const outcomes: PlacedOutcome[] = [];
  const unknown: UnknownOutcome[] = [];
  const invalid: (Placed<unknown> & { readonly issues: readonly Issue[] })[] = [];
  const validate = MESSAGE_VALIDATORS.outcome;
  const faults = messages.map((data, message): UnreadReason | undefined => {
    const entries = readPacked(data, "outcomes");
    if (typeof entries === "string") return entries;
    for (const said of entries) {
      if (!validate(said)) {
        invalid.push({ message, said, issues: (validate.errors ?? []).map(describeViolation) });
        continue;
      }
      const outcome = decode(said as WireOutcome);
      if (typeof outcome === "string") unknown.push(outcome);
      else outcomes.push({ ...outcome, moment: moments[message], message, said: said as WireOutcome });
    }
    return undefined;
  });
  return { faults, outcomes, unknown, invalid };
}

function decode(said: WireOutcome): OutcomeSubject | UnknownOutcome {
  const target = decodeTarget(said);
  if (target === undefined) return "unknown_target";
  const transactionId = decodeId("tx", said.transaction_id);
  if (transactionId === undefined) return "unknown_transaction";
  return { transactionId, target, finding: toFinding(said), retroactive: said.retroactive };
}

function decodeTarget(said: WireOutcome): OutcomeSubject["target"] | undefined {
  const isDeal = said.type === "deal";
  const id = isDeal ? decodeId("clip", said.clip_id) : decodeId("sc", said.stamp_collection_id);
  return id === undefined ? undefined : { kind: isDeal ? "clip" : "collection", id };
}

function toFinding(said: WireOutcome): OutcomeSubject["finding"] {
  if (said.type === "deal") return { type: said.type, amount: said.amount, currency: said.currency };
  return {
    type: said.type,
    purchaseAmount: said.purchase_amount ?? null,
    currency: said.currency ?? null,
    threshold: said.qualifying_threshold ?? null,
    reward: said.reward_config ?? null,
  };
}

export interface PlacedSettlement extends SettledTransaction, Placed<Settlement> {}

/**
 * Splits the messages of a batch into settlements, like `readOutcomes`. Ingest made the entries, so only the
 * ids are checked: a damaged one would stop all others of its partition. Returns each transaction once: all
 * settlements of a transaction mean the same.
 */
export function readSettlements(messages: readonly Uint8Array[]) {
  const settlements = new Map<string, PlacedSettlement>();
  const invalid: Placed<unknown>[] = [];
  const faults = messages.map((data, message): UnreadReason | undefined => {
    const entries = readPacked(data, "settlements");
    if (typeof entries === "string") return entries;
    for (const said of entries as readonly (Settlement | null)[]) {
      const { organisation: organisationId, transaction: transactionId } = said ?? {};
      if (said !== null && isUuid(organisationId) && isUuid(transactionId)) {
        settlements.set(transactionId, { organisationId, transactionId, message, said });
      } else invalid.push({ message, said });
    }
    return undefined;
  });
  return { faults, settlements: [...settlements.values()], invalid };
}
