import type { LeasedWebhook } from "./deliveries/leases.ts";
import type { DeliveryAttempt } from "./deliveries/record-attempts.ts";

/** One webhook while its deliveries are made here, from its lease until it is given back: one request at a time. */
export class Turn {
  readonly webhook: LeasedWebhook;
  /** Milliseconds, of the dispatcher's clock. */
  readonly since: number;
  /** Since when every attempt has failed, as far as this turn knows; null: the last one did not. */
  failingSince: Date | null;
  /** Made, and not yet recorded: in their order. */
  readonly unrecorded: DeliveryAttempt[] = [];
  /** Bytes of the deliveries that were taken and not yet made. */
  heldBytes = 0;
  /** Ends when all that was made until then is recorded, or given up. */
  recording: Promise<void> | undefined;
  #leaseUntil: number;
  #isOver = false;
  readonly #now: () => Date;

  constructor(webhook: LeasedWebhook, leaseUntil: Date, now: () => Date) {
    this.webhook = webhook;
    this.failingSince = webhook.failingSince;
    this.#leaseUntil = leaseUntil.getTime();
    this.#now = now;
    this.since = now().getTime();
  }

  /**
   * Whether the lease still stands. Asked of the clock before each request: a process that was suspended, or that could
   * not renew, must not go on beside the one that has the webhook now.
   */
  get isHeld(): boolean {
    return this.#now().getTime() < this.#leaseUntil;
  }

  /** Whether another request may be made. */
  get mayPost(): boolean {
    return !this.#isOver && this.isHeld;
  }

  /** Not for one that has run out: somebody else may have the webhook, even another turn of this process. */
  renew(until: Date): void {
    if (this.isHeld) this.#leaseUntil = until.getTime();
  }

  /** No more requests: the webhook is paused, disabled, deleted or somebody else's. What was made is still recorded. */
  end(): void {
    this.#isOver = true;
  }
}
