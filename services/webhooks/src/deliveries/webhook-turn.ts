import type { Failing } from "#domain/webhooks";
import type { DeliveryAttempt } from "./attempt-record.ts";
import type { LeasedWebhook, Target } from "./leased-webhook.ts";

/**
 * Leased deliveries are mostly sent within some milliseconds: a change whose answer comes meanwhile applies
 * to the next request.
 */
const TARGET_FRESH_MS = 20;

/** One webhook while this process makes its deliveries, one at a time, from its lease until it is given back. */
export class WebhookTurn {
  readonly webhook: LeasedWebhook;
  /** The last target that was read. */
  target: Target;
  /** The break of the webhook, as far as this turn knows; null: the last attempt did not fail. */
  failing: Failing | null;
  /** Attempts that are not recorded yet, in their order. */
  readonly unrecorded: DeliveryAttempt[] = [];
  /** All taken deliveries are delivered, and no more are known: the last record gives the webhook back. */
  isFinished = false;
  /** The webhook was given back, and may have another turn by now. */
  isReleased = false;
  /** It was given back, and has nothing more to do. */
  isAsleep = false;
  /** The number of first deliveries asked for. */
  readonly asked: number;
  /** Bytes of the deliveries that are taken and not made yet. */
  heldBytes = 0;
  /** Resolves when all attempts are recorded or given up; undefined: none waits. */
  recording: Promise<void> | undefined;
  #leaseUntil: number;
  #isOver = false;
  readonly #now: () => Date;
  readonly #since: number;
  /** `performance.now()` when the statement began that leased the webhook; undefined: its target was used. */
  #targetAsked: number | undefined;

  constructor(
    webhook: LeasedWebhook,
    lease: {
      readonly leaseUntil: Date;
      readonly asked: number;
      readonly now: () => Date;
      readonly targetAsked: number;
    },
  ) {
    const { leaseUntil, asked, now, targetAsked } = lease;
    this.webhook = webhook;
    this.asked = asked;
    this.target = webhook.target;
    this.failing = webhook.target.failing;
    this.#targetAsked = targetAsked;
    this.#leaseUntil = leaseUntil.getTime();
    this.#now = now;
    this.#since = now().getTime();
  }

  /** The target for the first request, if it was leased just now; undefined: it must be read before the request. */
  takeFreshTarget(): Target | undefined {
    const asked = this.#targetAsked;
    this.#targetAsked = undefined;
    return asked !== undefined && performance.now() - asked <= TARGET_FRESH_MS ? this.target : undefined;
  }

  renewTarget(target: Target): void {
    // For a new address the database knows the break. For the same address attempts may not be recorded yet.
    if (target.revision !== this.target.revision) this.failing = target.failing;
    this.target = target;
  }

  /** The end of the lease, in milliseconds since 1970. */
  get leaseUntil(): number {
    return this.#leaseUntil;
  }

  /** For how long the turn has had its slot. */
  get ageMs(): number {
    return this.#now().getTime() - this.#since;
  }

  /**
   * Whether the lease still holds. Checked before each request: a process that was suspended, or could not
   * renew, must not send while the webhook has another owner.
   */
  get isHeld(): boolean {
    return this.#now().getTime() < this.#leaseUntil;
  }

  /** Whether another request may be made. */
  get mayPost(): boolean {
    return !this.#isOver && this.isHeld;
  }

  /** Does nothing once the lease has ended: another process, or another turn of this one, may have the webhook. */
  renew(until: Date): void {
    if (this.isHeld) this.#leaseUntil = until.getTime();
  }

  /**
   * No more requests: the webhook is paused, disabled, deleted, or another process has it. Attempts under way
   * are still recorded.
   */
  end(): void {
    this.#isOver = true;
  }
}
