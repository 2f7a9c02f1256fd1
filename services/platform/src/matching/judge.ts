import type { Outcome } from "#contract/platform";
import { encodeId } from "#domain";
import { newestClips, type PreparedPrograms } from "../rules/explain-purchase.ts";
import type { PurchaseRecord } from "../rules/merge-record.ts";
import {
  judgeDeal,
  outcomeId,
  type PreparedDeal,
  type PreparedProgram,
  qualifies,
  type RetailerPayment,
} from "../rules/rules.ts";

/** An outcome to be published. */
export interface EarnedOutcome {
  /** UUID; always the same for one transaction and one program or deal. */
  readonly id: string;
  /** Ids that an earlier version may have given the same outcome: it named outcomes of deals by the clip. */
  readonly formerIds: readonly string[];
  /** UUID of the clip that redeems a deal; null for a program. */
  readonly clipId: string | null;
  /** When the purchase was authorized, in microseconds since 1970. */
  readonly authedAt: number;
  readonly type: string;
  /** The JSON of an `Outcome` of the contract. */
  readonly json: string;
}

/** The decisions about one record, or those of a step of a batch. */
export interface Judged {
  readonly outcomes: EarnedOutcome[];
  /** The reasons why links earned nothing, for metrics. */
  readonly disqualified: string[];
}

/** Pure and fast, because its callers hold row locks. It also returns outcomes that were emitted before. */
export interface Judge {
  /** Outcomes that need no payment. Called for a new record, and for a record with new content. */
  onArrival(record: PurchaseRecord): Judged;
  /**
   * Outcomes that a payment confirms. Called for a newly paired record, and for a paired record with new
   * content.
   */
  onPayment(record: PurchaseRecord, payment: RetailerPayment): Judged;
}

export const emptyJudged = (): Judged => ({ outcomes: [], disqualified: [] });

/**
 * Adds the new outcomes of one record's judgement to `judged`.
 * @param emitted ids of the record's outcomes so far, and of their clips
 * @returns those ids with the new ones; `emitted` itself if there are none
 */
export function addNew(judged: Judged, judgement: Judged, emitted: readonly string[]): readonly string[] {
  judged.disqualified.push(...judgement.disqualified);
  // Two stamp collections of one program would earn the same outcome: the first of them gets it.
  const ids = new Set(emitted);
  for (const outcome of judgement.outcomes) {
    if (ids.has(outcome.id) || outcome.formerIds.some((id) => ids.has(id))) continue;
    ids.add(outcome.id);
    // The clip is noted now, because the member may make a newer one later.
    if (outcome.clipId !== null) ids.add(outcome.clipId);
    judged.outcomes.push(outcome);
  }
  return ids.size === emitted.length ? emitted : [...ids];
}

export function addJudged(to: Judged, more: Judged): void {
  to.outcomes.push(...more.outcomes);
  to.disqualified.push(...more.disqualified);
}

/**
 * Decides what records earn (contract, section 8): each enrolment by its program and each clip by its deal, in the revision of the
 * time of authorization. So the result is always the same. Of several clips of a deal the newest is redeemed.
 *
 * If the rules of a link ask for no confirmation, the link is judged when its record arrives, and a payment is ignored: the
 * result must not depend on which half came first. The other links are judged by the payment. A reverted purchase earns nothing.
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
    const program = prepared.programs.inForce(programId, record.authedAt);
    if (program === undefined || program.rules.rules.confirmation !== confirmation) continue;
    const verdict = qualifies(program.rules, routed, payment);
    if (verdict.qualifies)
      outcomes.push(purchaseOutcome(record, { collectionId, programId, program }, payment));
    else disqualified.push(verdict.reason);
  }
  const clips = [...record.clips].map(([id, targetId]) => ({ type: "clip" as const, id, targetId }));
  for (const [dealId, clipId] of newestClips(clips)) {
    const deal = prepared.deals.inForce(dealId, record.authedAt);
    if (deal === undefined || deal.rules.rules.confirmation !== confirmation) continue;
    const verdict = judgeDeal(deal, routed, payment);
    if (verdict.qualifies) outcomes.push(dealOutcome(record, { clipId, dealId, deal }, verdict.reward));
    else disqualified.push(verdict.reason);
  }
  return { outcomes, disqualified };
}

function toRouted({ merchantId, statementDescriptor, route, authedAt }: PurchaseRecord) {
  return { merchantId, statementDescriptor, shared: route.shared, authedAt };
}

/**
 * The outcome carries the rules that decided it, so that its worth does not depend on the publisher's
 * configuration when it arrives.
 */
function purchaseOutcome(
  { transactionId, authedAt }: PurchaseRecord,
  link: { readonly collectionId: string; readonly programId: string; readonly program: PreparedProgram },
  payment: RetailerPayment | null,
): EarnedOutcome {
  const { programId, program } = link;
  const id = outcomeId(transactionId, { type: "program", programId });
  const currency = payment?.currency ?? program.rules.rules.currency;
  return toEarned(
    { id, formerIds: [], clipId: null, authedAt },
    {
      outcome_id: encodeId("out", id),
      transaction_id: encodeId("tx", transactionId),
      type: "qualifying_purchase",
      retroactive: program.rules.rules.retroactive,
      stamp_collection_id: encodeId("sc", link.collectionId),
      ...(payment !== null && { purchase_amount: payment.amount }),
      ...(currency !== null && { currency }),
      revision: program.revision,
      qualifying_threshold: program.threshold,
      reward_config: program.reward,
    },
  );
}

function dealOutcome(
  { transactionId, authedAt, clips }: PurchaseRecord,
  link: { readonly clipId: string; readonly dealId: string; readonly deal: PreparedDeal },
  reward: { readonly amount: number; readonly currency: string },
): EarnedOutcome {
  const { clipId, dealId, deal } = link;
  const id = outcomeId(transactionId, { type: "deal", dealId });
  const formerIds = [...clips].flatMap(([clip, deal]) =>
    deal === dealId ? outcomeId(transactionId, { type: "clip", clipId: clip }) : [],
  );
  return toEarned(
    { id, formerIds, clipId, authedAt },
    {
      outcome_id: encodeId("out", id),
      transaction_id: encodeId("tx", transactionId),
      type: "deal",
      retroactive: deal.rules.rules.retroactive,
      clip_id: encodeId("clip", clipId),
      amount: reward.amount,
      currency: reward.currency,
    },
  );
}

function toEarned(
  named: Pick<EarnedOutcome, "id" | "formerIds" | "clipId" | "authedAt">,
  outcome: Outcome,
): EarnedOutcome {
  return { ...named, type: outcome.type, json: JSON.stringify(outcome) };
}

/**
 * Outcomes in the order of their publication: stamps from the oldest purchase, deals from the newest. If a new clip makes several
 * purchases count at once, the newest redeems it (contract, section 9).
 */
export function inPublishedOrder<T extends Pick<EarnedOutcome, "type" | "authedAt">>(
  outcomes: readonly T[],
): T[] {
  const isDeal = ({ type }: T) => type === "deal";
  return [
    ...outcomes.filter((one) => !isDeal(one)).sort((a, b) => a.authedAt - b.authedAt),
    ...outcomes.filter(isDeal).sort((a, b) => b.authedAt - a.authedAt),
  ];
}
