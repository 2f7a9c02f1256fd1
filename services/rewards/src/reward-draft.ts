import type { Clip, RewardStep, StampCollection } from "#domain";
import type { StoredEvent } from "#publisher-db";
import type { BatchContext } from "./batch-context.ts";
import type { LoadedRewards, LoadedTarget, OwnedChange, RewardWrites } from "./rows/reward-batch.ts";
import { toWebhookEvent } from "./to-webhook-event.ts";

/** A batch while it is decided: each step sees what the steps before it left, and adds what it writes and tells. */
export class RewardDraft {
  readonly #context: BatchContext;
  readonly #targets: Map<string, LoadedTarget>;
  readonly #changes: OwnedChange[] = [];
  readonly #events: StoredEvent[] = [];

  constructor(loaded: LoadedRewards, context: BatchContext) {
    this.#context = context;
    this.#targets = new Map(loaded.targets);
  }

  /** The collection or clip as it is after the steps so far. */
  find(id: string): LoadedTarget | undefined {
    return this.#targets.get(id);
  }

  /** @param id under which the target was loaded */
  take(id: string, target: LoadedTarget, step: RewardStep<StampCollection | Clip>): void {
    const { organisationId, memberId, times } = target;
    this.#targets.set(id, { organisationId, memberId, times, state: step.state });
    for (const change of step.changes) this.#changes.push({ organisationId, memberId, change });
    for (const event of step.events) {
      const eventId = this.#context.nextEventId();
      this.#events.push({
        id: eventId,
        organisationId,
        type: event.type,
        at: event.at,
        transactionId: event.transactionId,
        body: JSON.stringify(toWebhookEvent(eventId, event)),
      });
    }
  }

  get writes(): RewardWrites {
    return { changes: this.#changes, events: this.#events };
  }
}
