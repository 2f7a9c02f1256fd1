import type { Outcome } from "#contract/platform";
import { encodeId } from "#domain";
import {
  judgeDeal,
  outcomeId,
  type PreparedPrograms,
  type PurchaseRecord,
  qualifies,
  type RetailerPayment,
} from "#domain/platform";

/** An outcome as it will be published. */
export interface EarnedOutcome {
  /** UUID; the same for one transaction and one program or clip, whenever it is decided. */
  readonly id: string;
  readonly type: string;
  /** The JSON of an `Outcome` of the contract. */
  readonly json: string;
}

/** What was decided of one record, or by a step of a batch. */
export interface Judged {
  readonly outcomes: EarnedOutcome[];
  /** For metrics: why links earned nothing. */
  readonly disqualified: string[];
}

/** Pure and fast: it is called while rows are locked. It gives outcomes that were emitted before, too. */
export interface Judge {
  /** Outcomes that need no payment. Asked when a record is new, and when it says something new. */
  onArrival(record: PurchaseRecord): Judged;
  /** Outcomes that a payment confirms. Asked when a record is paired, and when a paired record says something new. */
  onPayment(record: PurchaseRecord, payment: RetailerPayment): Judged;
}

export const emptyJudged = (): Judged => ({ outcomes: [], disqualified: [] });

/**
 * Adds the new outcomes of one record's judgement to `judged`.
 * @param emitted ids of the record's outcomes so far
 * @returns those ids with the new ones; `emitted` itself if there are none
 */
export function takeUp(judged: Judged, judgement: Judged, emitted: readonly string[]): readonly string[] {
  judged.disqualified.push(...judgement.disqualified);
  // Two stamp collections of one program would earn the same outcome: the first of them gets it.
  const ids = new Set(emitted);
  for (const outcome of judgement.outcomes) {
    if (ids.has(outcome.id)) continue;
    ids.add(outcome.id);
    judged.outcomes.push(outcome);
  }
  return ids.size === emitted.length ? emitted : [...ids];
}

export function addJudged(to: Judged, more: Judged): void {
  to.outcomes.push(...more.outcomes);
  to.disqualified.push(...more.disqualified);
}

/**
 * Decides what records earn (contract, section 8): each enrolment by its program, each open clip by its deal.
 *
 * A link whose rules ask for no confirmation is judged when its record arrives, and ignores a payment even if there is one:
 * what is earned must not depend on which half came first. The others are judged by the payment. A reverted purchase earns
 * nothing any more.
 */
export function createJudge(prepared: PreparedPrograms): Judge {
  return {
    onArrival: (record) => judge(prepared, record, null),
    onPayment: (record, payment) => judge(prepared, record, payment),
  };
}

function judge(prepared: PreparedPrograms, record: PurchaseRecord, payment: RetailerPayment | null): Judged {
  const outcomes: EarnedOutcome[] = [];
  const disqualified: string[] = [];
  if (record.state === "reverted") return { outcomes, disqualified };
  const confirmation = payment === null ? "none" : "retailer";
  const routed = toRouted(record);
  for (const [collectionId, programId] of record.enrolments) {
    const rules = prepared.programs.get(programId);
    if (rules === undefined || rules.rules.confirmation !== confirmation) continue;
    const verdict = qualifies(rules, routed, payment);
    if (verdict.qualifies) outcomes.push(purchaseOutcome(record, collectionId, programId, payment));
    else disqualified.push(verdict.reason);
  }
  for (const [clipId, dealId] of record.clips) {
    const deal = prepared.deals.get(dealId);
    if (deal === undefined || deal.rules.rules.confirmation !== confirmation) continue;
    const verdict = judgeDeal(deal, routed, payment);
    if (verdict.qualifies) outcomes.push(dealOutcome(record, clipId, verdict.reward));
    else disqualified.push(verdict.reason);
  }
  return { outcomes, disqualified };
}

function toRouted({ merchantId, statementDescriptor, route, authedAt }: PurchaseRecord) {
  return { merchantId, statementDescriptor, shared: route.shared, authedAt };
}

function purchaseOutcome(
  { transactionId }: PurchaseRecord,
  collectionId: string,
  programId: string,
  payment: RetailerPayment | null,
): EarnedOutcome {
  const id = outcomeId(transactionId, { type: "program", programId });
  return toEarned(id, {
    outcome_id: encodeId("out", id),
    transaction_id: encodeId("tx", transactionId),
    type: "qualifying_purchase",
    stamp_collection_id: encodeId("sc", collectionId),
    ...(payment !== null && { purchase_amount: payment.amount, currency: payment.currency }),
  });
}

function dealOutcome(
  { transactionId }: PurchaseRecord,
  clipId: string,
  reward: { readonly amount: number; readonly currency: string },
): EarnedOutcome {
  const id = outcomeId(transactionId, { type: "clip", clipId });
  return toEarned(id, {
    outcome_id: encodeId("out", id),
    transaction_id: encodeId("tx", transactionId),
    type: "deal",
    clip_id: encodeId("clip", clipId),
    amount: reward.amount,
    currency: reward.currency,
  });
}

function toEarned(id: string, outcome: Outcome): EarnedOutcome {
  return { id, type: outcome.type, json: JSON.stringify(outcome) };
}
