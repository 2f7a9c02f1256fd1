import type { PurchaseRecord, RetailerPayment } from "#domain";

/** An outcome as it will be published. */
export interface EarnedOutcome {
  /** UUID; the same for one transaction and one program or clip, whenever it is decided. */
  readonly id: string;
  readonly type: string;
  /** The JSON of an `Outcome` of the contract. */
  readonly json: string;
}

/** What a record earns at a moment, whether that was emitted before or not. */
export interface Judgement {
  readonly outcomes: readonly EarnedOutcome[];
  /** For metrics: why links of the record earned nothing. */
  readonly disqualified: readonly string[];
}

/** Pure and fast: it is called while rows are locked. */
export interface Judge {
  /** What needs no payment. Asked when a record is new, and when it says something new. */
  onArrival(record: PurchaseRecord): Judgement;
  /** What a payment confirms. Asked when a record is paired, and when a paired one says something new. */
  onPayment(record: PurchaseRecord, payment: RetailerPayment): Judgement;
}

/** What a step decided and queued. */
export interface Judged {
  /** Those that were not emitted before. */
  readonly outcomes: EarnedOutcome[];
  readonly disqualified: string[];
}

export const emptyJudged = (): Judged => ({ outcomes: [], disqualified: [] });

/**
 * Takes up a judgement of one record.
 * @param emitted ids of the record's outcomes so far
 * @returns those ids with the new ones; `emitted` itself if there are none
 */
export function takeUp(judged: Judged, judgement: Judgement, emitted: readonly string[]): readonly string[] {
  judged.disqualified.push(...judgement.disqualified);
  // Two stamp collections of one program would come to one outcome: the first of them has it.
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
