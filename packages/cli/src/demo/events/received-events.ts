import type { WebhookEvent } from "#contract";
import type { EventCounts } from "./count-events.ts";

const EXAMPLES = 5;

/** The events of one run that a webhook was sent, each counted once however often it came. */
export class ReceivedEvents {
  /** What was wrong, for people: some of it, if there is much. */
  readonly faults: string[] = [];
  /** Events that came before what they follow. */
  outOfOrder = 0;
  /** Requests that were not what they should be. */
  refused = 0;
  readonly #prefix: string;
  readonly #seen = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #byType = new Map<WebhookEvent["type"], number>();

  /** @param prefix of the `external_id`s of the run: the organisation may have others */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(event: WebhookEvent): void {
    if (event.type === "webhook.test" || !event.transaction_ref.startsWith(this.#prefix)) return;
    if (this.#seen.has(event.event_id)) return;
    this.#seen.add(event.event_id);
    this.#byType.set(event.type, this.#of(event.type) + 1);
    if (event.type === "transaction.rejected") return;
    const subject = "cashback_id" in event ? event.cashback_id : event.qualifying_purchase_id;
    if (event.type.endsWith(".created")) this.#begun.add(subject);
    if (this.#begun.has(subject)) return;
    this.outOfOrder++;
    this.#note(`${event.type} of ${subject} came before it was created`);
  }

  /** @param reason why a request was refused */
  refuse(reason: string): void {
    this.refused++;
    this.#note(`a delivery was refused: ${reason}`);
  }

  get counts(): EventCounts {
    return {
      stamps: this.#of("qualifying_purchase.created") - this.#of("qualifying_purchase.voided"),
      unredeemed: this.#of("qualifying_purchase.unredeemed"),
      cashbacksCreated: this.#of("cashback.created"),
      cashbacksCleared: this.#of("cashback.cleared"),
      cashbacksReverted: this.#of("cashback.reverted"),
      rejected: this.#of("transaction.rejected"),
    };
  }

  #of(type: WebhookEvent["type"]): number {
    return this.#byType.get(type) ?? 0;
  }

  #note(fault: string): void {
    if (this.faults.length < EXAMPLES) this.faults.push(fault);
  }
}
