import { Progress, type Repeated, repeat } from "#runtime";
import { Deliverer, type DelivererOptions, WEBHOOKS_PER_STATEMENT } from "./deliverer.ts";
import type { LeasedWebhook, LeaseRequest } from "./deliveries/leases.ts";
import { Turn } from "./deliveries/turn.ts";
import type { StatementName } from "./metrics.ts";
import { type Shares, shareSlots } from "./slot-shares.ts";

/** A process that is gone keeps its webhooks for at most this long. */
const LEASE_MS = 10_000;
/** A lease is renewed when it is so old … */
const RENEW_AFTER_MS = 3_000;
/** … and looked at so often: if the database is gone then, or the queue locked, there are many more looks until it ends. */
const RENEW_EVERY_MS = 250;
const POLL_MS = 500;
/** Finding out how far events are settled takes some statements, one of them over all locks: not more often than this. */
const HORIZON_SPACING_MS = 5;
const LEASE_SPACING_MS = 5;

export interface DispatcherOptions extends DelivererOptions {
  /**
   * How many webhooks are served at once, shared out by organisation (`shareSlots`). A target that hangs holds one slot for as
   * long as the sender waits.
   */
  readonly slots: number;
  /** How often the dispatcher looks by itself, 500 ms by default: the delay that a lost kick costs. */
  readonly pollMs?: number;
  /** Where it is told whether new events and due webhooks are found. */
  readonly progress?: Progress;
}

/**
 * Makes deliveries: finds new events, leases webhooks that have something due, and gives each a turn. Any number of processes
 * do this beside each other.
 *
 * Order: a request starts only when the one before it was answered with 2xx, or its delivery was parked; this process has
 * seen that itself, or reads it from the database. So the first arrivals of events are in order, although some deliveries
 * are made twice:
 *
 * - A process dies after a request and before its record: another one makes the same delivery again, under the same id.
 * - A process is suspended, or the database cannot be reached, until the lease runs out: the process makes no further
 *   request, and the database refuses its records, since the webhook has another owner by then. What it had under way is
 *   made again elsewhere.
 * - The database is gone for less than that: what was answered is kept and recorded when it is back.
 * - Somebody else has locked a webhook's queue: the others go on. Of this one nothing is taken, recorded, renewed or given back
 *   until the row can be locked; if that is after the end of its lease, it is as if the process had been suspended.
 * - A webhook is paused or disabled: its turn ends at the next renewal. Deleted: likewise, and nothing is recorded.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #deliverer: Deliverer;
  readonly #horizon: Repeated;
  readonly #leases: Repeated;
  readonly #renewal: Repeated;
  /** Slots kept for what statements under way may lease. */
  #reserved = 0;
  /** Whether webhooks may be due that nobody has: at the last look there were more than slots. */
  #isCrowded = true;
  /** Whether some may be due for which their organisation had no share of the slots left. */
  #isShared = false;
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#deliverer = new Deliverer(options);
    const { observer, log, pollMs = POLL_MS, progress = new Progress() } = options;
    const run = (name: StatementName, spacingMs: number, everyMs: number, work: () => Promise<void>) => {
      const timed = () => progress.watch(`webhooks ${name}`, () => observer.timed(name, work));
      return repeat({ name, everyMs, spacingMs, work: timed, failed: "webhook work failed", log });
    };
    this.#leases = run("lease", LEASE_SPACING_MS, pollMs, () => this.#lease());
    this.#horizon = run("horizon", HORIZON_SPACING_MS, pollMs, () => this.#advance());
    this.#renewal = run("renew", 0, RENEW_EVERY_MS, () => this.#renew());
  }

  /** To be called when there are new events. */
  kick(): void {
    this.#horizon.kick();
  }

  /** How many webhooks are served now. */
  get inFlight(): number {
    return this.#deliverer.turns.size;
  }

  /**
   * Makes no new request. Requests under way get `graceMs`; one that takes longer is cut, and the process that gets the
   * webhook next makes its delivery again.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#deliverer.end();
    await Promise.all([this.#horizon.stop(), this.#leases.stop()]);
    await this.#deliverer.drain(graceMs);
    await this.#renewal.stop();
  }

  async #advance(): Promise<void> {
    const { store } = this.#options;
    // While others wait for slots, those that have waited longest are first. Half of the slots stay free for what is due in
    // any case: this takes as long as the slowest writer of events.
    const limit = this.#isCrowded || this.#stopping ? 0 : Math.floor(this.#freeSlots / 2);
    const step = await this.#serveLeased(limit, (request) => store.advanceHorizon(request));
    if (step.isMore) this.#leases.kick();
    // Each step is committed by itself, and others get their turn between two.
    if (step.isBehind) this.#horizon.kick();
  }

  async #lease(): Promise<void> {
    const { store } = this.#options;
    while (!this.#stopping) {
      const limit = this.#freeSlots;
      this.#isCrowded = limit === 0;
      if (limit === 0) return;
      const { leased, isMore } = await this.#serveLeased(limit, (request) => store.lease(request));
      this.#isShared = [...this.#shares(1).byOrganisation.values()].includes(0);
      // Where some were due and may not be taken, the next look passes over their organisations.
      if (!isMore || leased.length === 0) return;
    }
  }

  /** Of a statement that leases so many webhooks at most. */
  #shares(limit: number): Shares {
    const held = new Map<string, number>();
    for (const { webhook } of this.#deliverer.turns.keys()) {
      held.set(webhook.organisationId, (held.get(webhook.organisationId) ?? 0) + 1);
    }
    return shareSlots(held, this.#options.slots - this.inFlight - this.#reserved, limit);
  }

  get #freeSlots(): number {
    return Math.max(
      0,
      Math.min(this.#options.slots - this.inFlight - this.#reserved, WEBHOOKS_PER_STATEMENT),
    );
  }

  /** Serves what a statement leases. */
  async #serveLeased<R extends { readonly leased: readonly LeasedWebhook[] }>(
    limit: number,
    statement: (request: Omit<LeaseRequest, "owner">) => Promise<R>,
  ): Promise<R> {
    const { now } = this.#options;
    // Taken before the statement, so that a lease never lasts longer here than in the database.
    const leaseUntil = new Date(now().getTime() + LEASE_MS);
    const targetAsked = performance.now();
    const asked = this.#deliverer.takenAhead(Math.max(1, limit));
    const shares = this.#shares(limit);
    this.#reserved += limit;
    let result: R;
    try {
      result = await statement({ leaseMs: LEASE_MS, limit, shares, perWebhook: asked });
    } finally {
      this.#reserved -= limit;
    }
    for (const webhook of result.leased) {
      this.#serve(new Turn(webhook, { leaseUntil, asked, now, targetAsked }));
    }
    return result;
  }

  #serve(turn: Turn): void {
    // When the turn is over its webhook may be due again, or another one may have waited for the slot.
    void this.#deliverer.serve(turn).then(() => {
      if (!turn.isAsleep || this.#isCrowded || this.#isShared) this.#leases.kick();
    });
  }

  async #renew(): Promise<void> {
    const { store, now } = this.#options;
    const leaseUntil = new Date(now().getTime() + LEASE_MS);
    const turns = [...this.#deliverer.turns.keys()].filter(
      (turn) => turn.mayPost && leaseUntil.getTime() - turn.leaseUntil >= RENEW_AFTER_MS,
    );
    if (turns.length === 0) return;
    const webhookIds = turns.map(({ webhook }) => webhook.id);
    const { renewed, locked } = await store.renew({ webhookIds, leaseMs: LEASE_MS });
    const known = new Set(renewed);
    for (const turn of turns) {
      if (known.has(turn.webhook.id)) turn.renew(leaseUntil);
      else if (!locked.includes(turn.webhook.id)) turn.end();
    }
  }
}
