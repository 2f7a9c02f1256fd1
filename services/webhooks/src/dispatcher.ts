import { type Repeated, repeat } from "#runtime";
import { Deliverer, type DelivererOptions, type StatementName, WEBHOOKS_PER_STATEMENT } from "./deliverer.ts";
import { Turn } from "./turn.ts";

/** How long a webhook stays with a process that is gone. */
const LEASE_MS = 10_000;
/** Three of them fit into a lease: one that fails is made up for. */
const RENEW_MS = 3_000;
const POLL_MS = 250;
/** Looking how far events are settled takes some statements, one of them over all locks: not more often than this. */
const HORIZON_SPACING_MS = 5;
const LEASE_SPACING_MS = 5;

export interface DispatcherOptions extends DelivererOptions {
  /** Webhooks that are served at once; one that hangs holds one of them for as long as the sender waits. */
  readonly slots: number;
  /** How often it looks by itself, 250 ms by default: what a lost kick costs. */
  readonly pollMs?: number;
}

/**
 * Makes deliveries: finds what is new, leases webhooks that have something due, and gives each a turn of its own. Any
 * number of processes do so beside each other.
 *
 * Order: a request starts only when the one before it was answered with 2xx, or its delivery parked, as this process has
 * seen itself or as it is recorded. So the first arrivals are in order, whatever is made twice:
 *
 * - A process dies after a request and before its record: another one makes the same delivery again, under the same id.
 * - A process is suspended, or the database cannot be reached, until the lease runs out: it makes no further request, and
 *   its records are refused by the database, which knows the owner. What it had under way is made again elsewhere.
 * - The database is gone for less than that: what was answered is kept and recorded when it is back.
 * - A webhook is paused or disabled: its turn ends at the next renewal. Deleted: likewise, and nothing is recorded.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #deliverer: Deliverer;
  readonly #horizon: Repeated;
  readonly #leases: Repeated;
  readonly #renewal: Repeated;
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#deliverer = new Deliverer(options);
    const { observer, log, pollMs = POLL_MS } = options;
    const run = (name: StatementName, spacingMs: number, everyMs: number, work: () => Promise<void>) => {
      const timed = () => observer.timed(name, work);
      return repeat({ name, everyMs, spacingMs, work: timed, failed: "webhook work failed", log });
    };
    this.#leases = run("lease", LEASE_SPACING_MS, pollMs, () => this.#lease());
    this.#horizon = run("horizon", HORIZON_SPACING_MS, pollMs, () => this.#advance());
    this.#renewal = run("renew", 0, RENEW_MS, () => this.#renew());
  }

  /** There are new events. */
  kick(): void {
    this.#horizon.kick();
  }

  /** Webhooks that are served now. */
  get inFlight(): number {
    return this.#deliverer.turns.size;
  }

  /** Bytes of events that were taken and not yet sent. */
  get heldBytes(): number {
    return this.#deliverer.heldBytes;
  }

  /**
   * Makes no new request. Those under way get `graceMs`; one that takes longer is cut, and its delivery made again by
   * whoever gets the webhook.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#deliverer.end();
    await Promise.all([this.#horizon.stop(), this.#leases.stop()]);
    await this.#deliverer.drain(graceMs);
    await this.#renewal.stop();
  }

  async #advance(): Promise<void> {
    const { store, observer } = this.#options;
    const events = await store.advanceHorizon();
    if (events === 0) return;
    observer.announced(events);
    this.#leases.kick();
  }

  async #lease(): Promise<void> {
    const { store, slots, now } = this.#options;
    while (!this.#stopping && this.inFlight < slots) {
      const limit = Math.min(slots - this.inFlight, WEBHOOKS_PER_STATEMENT);
      // Counted from before the statement, so that a lease never lasts longer here than in the database.
      const leaseUntil = new Date(now().getTime() + LEASE_MS);
      const leased = await store.lease({ leaseMs: LEASE_MS, limit });
      for (const webhook of leased) {
        // Once it is over the webhook may be due again, and another one may have waited for the slot.
        void this.#deliverer.serve(new Turn(webhook, leaseUntil, now)).then(() => this.#leases.kick());
      }
      if (leased.length < limit) return;
    }
  }

  async #renew(): Promise<void> {
    const { store, now } = this.#options;
    const turns = [...this.#deliverer.turns.keys()].filter((turn) => turn.mayPost);
    if (turns.length === 0) return;
    const leaseUntil = new Date(now().getTime() + LEASE_MS);
    const webhookIds = turns.map(({ webhook }) => webhook.id);
    const renewed = new Set(await store.renew({ webhookIds, leaseMs: LEASE_MS }));
    for (const turn of turns) {
      if (renewed.has(turn.webhook.id)) turn.renew(leaseUntil);
      else turn.end();
    }
  }
}
