import type { Failing } from "#domain/webhooks";
import type { DeliveryAttempt } from "./delivery-attempt.ts";
import type { LeasedWebhook, Target } from "./leases.ts";

/** What was leased is mostly sent within a few milliseconds: a change that is answered meanwhile comes with the next request. */
const TARGET_FRESH_MS = 20;

/** One webhook while this process makes its deliveries, from its lease until it is given back: one request at a time. */
export class Turn {
  readonly webhook: LeasedWebhook;
  /** As it was read last. */
  target: Target;
  /** How the webhook stands, as far as this turn knows; null: the last attempt did not fail. */
  failing: Failing | null;
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
  /** When the statement began that the target was leased with, as `performance.now()` has it; undefined: it was used. */
  #targetAsked: number | undefined;

  constructor(
    webhook: LeasedWebhook,
    {
      leaseUntil,
      asked,
      now,
      targetAsked,
    }: {
      readonly leaseUntil: Date;
      readonly asked: number;
      readonly now: () => Date;
      /** `performance.now()` when the statement began that has leased it. */
      readonly targetAsked: number;
    },
  ) {
    this.webhook = webhook;
    this.asked = asked;
    this.target = webhook.target;
    this.failing = webhook.target.failing;
    this.#targetAsked = targetAsked;
    this.#leaseUntil = leaseUntil.getTime();
    this.#now = now;
    this.#since = now().getTime();
  }

  /** The target for the first request, if it was leased just now; undefined: it has to be read anew before the request. */
  takeFreshTarget(): Target | undefined {
    const asked = this.#targetAsked;
    this.#targetAsked = undefined;
    return asked !== undefined && performance.now() - asked <= TARGET_FRESH_MS ? this.target : undefined;
  }

  renewTarget(target: Target): void {
    // Of another address, the database knows better how it stands. Of this one, what was attempted may not be recorded yet.
    if (target.revision !== this.target.revision) this.failing = target.failing;
    this.target = target;
  }

  /** When the lease ends, as `Date.getTime` has it. */
  get leaseUntil(): number {
    return this.#leaseUntil;
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
