import { type Clip, placeOf, type RewardContext, type RewardStep, settleClip } from "#domain/rewards";
import type { AsOf, WaitingOutcome } from "./store/as-of.ts";
import type { LoadedTarget } from "./store/collections.ts";
import type { LoadedRewards } from "./store/lock-for-outcomes.ts";
import type { OutcomeSubject } from "./store/outcome-subject.ts";

/** A purchase's claim to a clip, with the time of its authorization. */
type Claim = OutcomeSubject & Pick<WaitingOutcome, "authedAt">;

interface TargetsSoFar {
  find(id: string): LoadedTarget | undefined;
  take(id: string, target: LoadedTarget, step: RewardStep<Clip>): void;
}

interface ClipsParts extends AsOf {
  readonly transactions: LoadedRewards["transactions"];
  readonly contextOf: (moment: number) => RewardContext;
  readonly decide: (outcome: OutcomeSubject) => string;
}

/**
 * Clips as of moments. In live operation a settlement opens the clip of a reverted purchase, and the newest
 * purchase that waits for the clip redeems it (`startRetrying`), before the next outcome comes. This class
 * does the same for a past moment.
 */
export class ClipsAsOf {
  readonly #draft: TargetsSoFar;
  readonly #parts: ClipsParts;
  readonly #waiting: Map<string, readonly Claim[]>;

  constructor(draft: TargetsSoFar, parts: ClipsParts) {
    this.#draft = draft;
    this.#parts = parts;
    this.#waiting = new Map(parts.waiting);
  }

  wait(claim: Claim): void {
    this.#waiting.set(claim.target.id, [...(this.#waiting.get(claim.target.id) ?? []), claim]);
  }

  /** Applies the settling of the clip's purchase up to that moment. */
  settle(clipId: string, moment: number): void {
    const { holders, transactions, contextOf } = this.#parts;
    for (;;) {
      const target = this.#draft.find(clipId);
      if (target?.state.kind !== "clip" || target.state.cashback === null) return;
      const { transactionId } = target.state.cashback;
      const holder = transactions.get(transactionId) ?? holders.get(transactionId);
      if (holder === undefined) return;
      const step = settleClip(target.state, holder, contextOf(moment));
      if (step.changes.length === 0) return;
      this.#draft.take(clipId, target, step);
      if (!step.state.redeemed) this.#pass(clipId, placeOf(holder));
    }
  }

  /** Gives an open clip to the newest purchase that waits for it. */
  #pass(clipId: string, moment: number): void {
    const claims = [...(this.#waiting.get(clipId) ?? [])];
    claims.sort((a, b) => b.authedAt - a.authedAt || (a.transactionId < b.transactionId ? 1 : -1));
    while (claims.length > 0) {
      const claim = { ...(claims.shift() as Claim), moment };
      if (this.#parts.decide(claim) === "applied") break;
    }
    this.#waiting.set(clipId, claims);
  }
}
