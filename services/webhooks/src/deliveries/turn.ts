import type { DeliveryAttempt } from "./delivery-attempt.ts";
import type { LeasedWebhook } from "./leases.ts";

/** One webhook while this process makes its deliveries, from its lease until it is given back: one request at a time. */
export class Turn {
  readonly webhook: LeasedWebhook;
  /** Since when every attempt has failed, as far as this turn knows; null: the last one did not. */
  failingSince: Date | null;
  /** Attempts that were made and are not yet recorded, in their order. */
  readonly unrecorded: DeliveryAttempt[] = [];
  /** All that was taken is delivered or parked, and nothing more is known of: its last record gives the webhook back. */
  isFinished = false;
  /** The webhook was given back, and may have another turn by now. */
  isReleased = false;
  /** It was given back, and there was nothing more to do then. */
  isAsleep = false;
  /** How many first deliveries there might have been. */
  readonly asked: number;
  /** Bytes of the deliveries that were taken and not yet made. */
  heldBytes = 0;
  /** Resolves when all attempts that were made until then are recorded or given up; undefined: there are none. */
  recording: Promise<void> | undefined;
  #leaseUntil: number;
  #isOver = false;
  readonly #now: () => Date;
  readonly #since: number;

  constructor(
    webhook: LeasedWebhook,
    {
      leaseUntil,
      asked,
      now,
    }: { readonly leaseUntil: Date; readonly asked: number; readonly now: () => Date },
  ) {
    this.webhook = webhook;
    this.asked = asked;
    this.failingSince = webhook.failingSince;
    this.#leaseUntil = leaseUntil.getTime();
    this.#now = now;
    this.#since = now().getTime();
  }

  /** For how long it has had its slot. */
  get ageMs(): number {
    return this.#now().getTime() - this.#since;
  }

  /**
   * Whether the lease still holds. The clock is asked before each request: a process that was suspended, or that could not
   * renew, must not go on beside the one that has the webhook now.
   */
  get isHeld(): boolean {
    return this.#now().getTime() < this.#leaseUntil;
  }

  /** Whether another request may be made. */
  get mayPost(): boolean {
    return !this.#isOver && this.isHeld;
  }

  /** Does nothing once the lease has run out: another process, or another turn of this one, may have the webhook. */
  renew(until: Date): void {
    if (this.isHeld) this.#leaseUntil = until.getTime();
  }

  /** No more requests: the webhook is paused, disabled, deleted or somebody else's. What was made is still recorded. */
  end(): void {
    this.#isOver = true;
  }
}
