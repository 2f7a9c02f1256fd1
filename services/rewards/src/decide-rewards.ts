import { groupBy, type LinkTimes, linkCounts, nameUuidAt, toUtcMicroseconds } from "#domain";
import {
  applyDeal,
  applyPurchase,
  type Clip,
  type DealOutcome,
  type Ignored,
  type PurchaseOutcome,
  type RewardContext,
  type RewardEvent,
  type RewardStep,
  type RewardTransaction,
  type StampCollection,
  settleClip,
  settleCollection,
} from "#domain/rewards";
import type { StoredEvent } from "#publisher-db";
import { ClipsAsOf } from "./clips-as-of.ts";
import type { LoadedTarget } from "./store/collections.ts";
import type { OwnedChange } from "./store/fold-reward-changes.ts";
import { type LoadedRewards, spentKey } from "./store/lock-for-outcomes.ts";
import type { LoadedSettlements } from "./store/lock-for-settlements.ts";
import type { OutcomeSubject } from "./store/outcome-subject.ts";
import type { RewardWrites } from "./store/write-rewards.ts";
import { toWebhookEvent } from "./to-webhook-event.ts";

/**
 * The result of an outcome. unknown_target: the collection or clip is missing; perhaps its member was deleted.
 * unknown_transaction: the target's member has no such transaction. link_too_late: the enrolment or clip was made after the
 * purchase, and does not count for it; ingest sends such a link only if it learned late that the rules are not retroactive any more.
 * card_full: the card has too many pending redemptions (`LIMITS.pendingRedemptionsPerCard`); the outcome waits.
 */
export type OutcomeResult =
  | "applied"
  | Ignored
  | "unknown_target"
  | "unknown_transaction"
  | "link_too_late"
  | "card_full";

export interface Decided<Result extends string> {
  /** One for each outcome, or for each transaction of the settlements. */
  readonly results: readonly Result[];
  readonly writes: RewardWrites;
}

/**
 * Applies outcomes one after the other, each to the state that those before it left (contract, section 9):
 * first the outcomes of cards in their order, then those of deals in the order in which purchases may have a
 * clip. If outcomes are decided as of a moment, it applies them moment by moment.
 */
export function decideOutcomes(
  loaded: LoadedRewards,
  outcomes: readonly OutcomeSubject[],
  context: RewardContext,
): Decided<OutcomeResult> {
  const draft = new RewardDraft(loaded, context);
  const spent = new Set(loaded.spent);
  const { asOf } = loaded;
  const contextOf = (moment: number | undefined) =>
    asOf === undefined || moment === undefined
      ? context
      : { ...context, moment: Math.max(moment, asOf.notBefore) };
  const decide = (outcome: OutcomeSubject): OutcomeResult => {
    const target = draft.find(outcome.target.id);
    if (target === undefined) return "unknown_target";
    const transaction = loaded.transactions.get(outcome.transactionId);
    // Another outcome of the batch may have loaded the transaction, for another member.
    if (transaction === undefined || loaded.members.get(transaction.id) !== target.memberId) {
      return "unknown_transaction";
    }
    const authedAt = loaded.authedAt.get(transaction.id);
    const times = timesFor(target, outcome);
    if (times !== null && authedAt !== undefined && !linkCounts(times, authedAt)) {
      return "link_too_late";
    }
    const { state } = target;
    const key = state.kind === "clip" ? spentKey(transaction.id, state.dealId) : undefined;
    if (key !== undefined && spent.has(key)) return "already_redeemed";
    const step = apply(state, transaction, outcome.finding, contextOf(outcome.moment));
    if (step === undefined) return "unknown_target";
    draft.take(outcome.target.id, target, step);
    if (key !== undefined && step.ignored === null) spent.add(key);
    return step.ignored ?? "applied";
  };
  const clips =
    asOf && new ClipsAsOf(draft, { ...asOf, transactions: loaded.transactions, contextOf, decide });
  const decideAsOf = (outcome: OutcomeSubject): OutcomeResult => {
    const { moment, target, transactionId } = outcome;
    if (moment === undefined || target.kind !== "clip") return decide(outcome);
    clips?.settle(target.id, moment);
    const result = decide(outcome);
    const authedAt = loaded.authedAt.get(transactionId);
    if (result === "already_redeemed" && authedAt !== undefined) clips?.wait({ ...outcome, authedAt });
    return result;
  };
  // As of a moment, a later outcome cannot take a clip before an earlier one.
  const turns = asOf === undefined ? [outcomes] : [...groupBy(outcomes, ({ moment }) => moment).values()];
  const inTurn = turns.flatMap((some) => inOrderOfClaims(loaded, some));
  const isFull = ({ target }: OutcomeSubject) => loaded.full?.has(target.id) === true;
  const results = new Map(
    inTurn.map((outcome) => [outcome, isFull(outcome) ? "card_full" : decideAsOf(outcome)]),
  );
  return {
    results: outcomes.map((outcome) => results.get(outcome) as OutcomeResult),
    writes: draft.writes,
  };
}

/** The rules that the outcome names come before the stored ones: configuration may arrive late. */
function timesFor({ times }: LoadedTarget, { retroactive }: OutcomeSubject): LinkTimes | null {
  if (times === null || retroactive === undefined) return times;
  return { madeAt: times.madeAt, retroactive: [{ since: 0, retroactive }] };
}

/**
 * If several purchases of a batch could redeem a clip, the newest of those authorized before the clip was made redeems it, or else
 * the oldest: the same as when nothing is late.
 */
function inOrderOfClaims(
  { authedAt, targets }: LoadedRewards,
  outcomes: readonly OutcomeSubject[],
): OutcomeSubject[] {
  const claims = outcomes.flatMap((outcome) => {
    const target = targets.get(outcome.target.id);
    const at = authedAt.get(outcome.transactionId);
    if (target?.state.kind !== "clip" || target.times === null || at === undefined) return [];
    const since = at - target.times.madeAt;
    return [{ outcome, isEarlier: since <= 0, distance: Math.abs(since) }];
  });
  if (claims.length < 2) return [...outcomes];
  claims.sort((a, b) => Number(b.isEarlier) - Number(a.isEarlier) || a.distance - b.distance);
  const claiming = new Set(claims.map(({ outcome }) => outcome));
  return [...outcomes.filter((outcome) => !claiming.has(outcome)), ...claims.map(({ outcome }) => outcome)];
}

/** Undefined: the kinds of target and outcome do not fit. */
function apply(
  state: StampCollection | Clip,
  transaction: RewardTransaction,
  finding: PurchaseOutcome | DealOutcome,
  context: RewardContext,
): RewardStep<StampCollection | Clip> | undefined {
  if (state.kind === "collection") {
    return finding.type === "qualifying_purchase"
      ? applyPurchase(state, transaction, finding, context)
      : undefined;
  }
  return finding.type === "deal" ? applyDeal(state, transaction, finding, context) : undefined;
}

export type SettlementResult = "changed" | "unchanged";

/**
 * Applies the settlements of transactions to everything that they have earned (contract, section 9), in the order given. The
 * state in a settlement's message is not used: the loaded transaction is as new or newer.
 * @param transactionIds UUIDs, each once
 */
export function decideSettlements(
  loaded: LoadedSettlements,
  transactionIds: readonly string[],
  context: RewardContext,
): Decided<SettlementResult> {
  const draft = new RewardDraft(loaded, context);
  const results = transactionIds.map((id): SettlementResult => {
    const transaction = loaded.transactions.get(id);
    if (transaction === undefined) return "unchanged";
    let result: SettlementResult = "unchanged";
    for (const targetId of loaded.touched.get(id) ?? []) {
      const target = draft.find(targetId);
      if (target === undefined) continue;
      const { state } = target;
      const step =
        state.kind === "clip"
          ? settleClip(state, transaction, context)
          : settleCollection(state, transaction, context);
      draft.take(targetId, target, step);
      if (step.changes.length > 0) result = "changed";
    }
    return result;
  });
  return { results, writes: draft.writes };
}

/** A batch while it is decided: each step sees the state that the steps before it left, and adds changes and events. */
class RewardDraft {
  readonly #context: RewardContext;
  readonly #targets: Map<string, LoadedTarget>;
  /** By transaction: a settlement loads a single cashback without its member. */
  readonly #members: LoadedRewards["members"];
  readonly #changes: OwnedChange[] = [];
  readonly #events: StoredEvent[] = [];

  constructor(loaded: LoadedRewards, context: RewardContext) {
    this.#context = context;
    this.#targets = new Map(loaded.targets);
    this.#members = loaded.members;
  }

  /** The state of the collection or clip after the steps so far. */
  find(id: string): LoadedTarget | undefined {
    return this.#targets.get(id);
  }

  /** @param id under which the target was loaded */
  take(id: string, target: LoadedTarget, step: RewardStep<StampCollection | Clip>): void {
    const { organisationId, memberId, times } = target;
    this.#targets.set(id, { organisationId, memberId, times, state: step.state });
    for (const change of step.changes) this.#changes.push({ organisationId, memberId, change });
    for (const event of step.events) {
      const eventId = this.#context.idOf(nameOf(event), event.transactionId);
      this.#events.push({
        id: eventId,
        organisationId,
        type: event.type,
        at: event.at,
        transactionId: event.transactionId,
        memberId: memberId ?? this.#members.get(event.transactionId) ?? null,
        body: JSON.stringify(toWebhookEvent(eventId, event)),
      });
    }
  }

  get writes(): RewardWrites {
    return { changes: this.#changes, events: this.#events };
  }
}

/** Names an event: there is one of each type for a stamp or cashback, except `unredeemed`, one for each redemption of the stamp. */
function nameOf(event: RewardEvent): string {
  const subject = "cashbackId" in event ? event.cashbackId : event.qualifyingPurchaseId;
  const redemption = "redemptionId" in event ? `:${event.redemptionId}` : "";
  return `${event.type}:${subject}${redemption}`;
}

/**
 * The time of one batch, and its ids. Call it once the batch's rows are locked: the next batch that locks them then has a later
 * time, so times rise along a collection. The time is the database's, so this holds across processes.
 *
 * Ids are computed from facts and from the time of the transaction: an attempt after a crash gives the same ids, and so does a
 * restored database that applies the same outcomes again. Receivers of webhooks recognise events by their ids.
 * @param now the database's time
 */
export function batchContext(now: Date): RewardContext {
  return { at: toUtcMicroseconds(now.toISOString()), idOf: nameUuidAt };
}
