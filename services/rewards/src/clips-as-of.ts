import { type Clip, placeOf, type RewardContext, type RewardStep, settleClip } from "#domain/rewards";
import type { AsOf, WaitingOutcome } from "./rows/as-of.ts";
import type { LoadedTarget } from "./rows/collections.ts";
import type { LoadedRewards } from "./rows/lock-for-outcomes.ts";
import type { OutcomeSubject } from "./rows/outcome-subject.ts";

/** A purchase's claim of a clip, with when that was authorized. */
type Claim = OutcomeSubject & Pick<WaitingOutcome, "authedAt">;

/** A batch while it is decided. */
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
 * Clips as of moments. Live, a settlement tells a clip that its purchase was reverted, and the newest purchase that waits for it then
 * has it (`startRetrying`), before the next outcome comes. As of a moment the same is done here.
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

  /** Applies what had become of the clip's purchase by then. */
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

  /** Gives an open clip to the newest that waits for it. */
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
