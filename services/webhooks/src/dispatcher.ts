import { Progress, type Repeated, repeat } from "#runtime";
import { Deliverer, type DelivererOptions, WEBHOOKS_PER_STATEMENT } from "./deliverer.ts";
import type { LeasedWebhook } from "./deliveries/leased-webhook.ts";
import type { LeaseRequest } from "./deliveries/leases.ts";
import { WebhookTurn } from "./deliveries/webhook-turn.ts";
import { takenAhead } from "./hold-deliveries.ts";
import type { StatementName } from "./metrics.ts";
import { leavesOut, type Shares, shareSlots } from "./slot-shares.ts";

/** A process that died keeps its webhooks for at most this long. */
const LEASE_MS = 10_000;
/** A lease is renewed at this age … */
const RENEW_AFTER_MS = 3_000;
/** … and checked this often: if the database is away, or the queue locked, there are many more checks before it ends. */
const RENEW_EVERY_MS = 250;
const POLL_MS = 500;
/**
 * Finding out how far events are settled takes some statements, one of them over all locks, so this is the
 * least time between two.
 */
const HORIZON_SPACING_MS = 5;
const LEASE_SPACING_MS = 5;

export interface DispatcherOptions extends DelivererOptions {
  /**
   * The number of concurrent turns, shared out by organisation (`shareSlots`). A target that hangs holds one
   * slot for as long as the sender waits.
   */
  readonly slots: number;
  /** How often the dispatcher looks without a kick, 500 ms by default: the delay that a lost kick costs. */
  readonly pollMs?: number;
  /** Learns whether the looks for new events and due webhooks succeed. */
  readonly progress?: Progress;
}

/**
 * Makes deliveries: finds new events, leases webhooks that have something due, and gives each a turn. Any number of processes
 * do this at the same time.
 *
 * Order: a request starts only when the one before it was answered with 2xx, or its delivery was parked; the process has seen
 * that itself, or reads it from the database. So events first arrive in order, although some deliveries are made twice:
 *
 * - A process dies between a request and its record: another one makes the same delivery again, under the same id.
 * - A process is suspended, or cannot reach the database, until the lease ends: it makes no further request, and the database
 *   refuses its records, because the webhook has another owner by then. That owner makes the requests under way again.
 * - The database is away for a shorter time: the process keeps the answers, and records them when it is back.
 * - Another session has locked a webhook's queue: the other webhooks go on. Nothing of this one is taken, recorded, renewed or
 *   given back until the row can be locked. If its lease has ended by then, it is as if the process had been suspended.
 * - A webhook is paused, disabled or deleted: its turn ends before the next request. Of a deleted one nothing is recorded.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #deliverer: Deliverer;
  readonly #horizon: Repeated;
  readonly #leases: Repeated;
  readonly #renewal: Repeated;
  /** Slots kept for the webhooks that statements under way may lease. */
  #reserved = 0;
  /** Whether webhooks may be due that no process has: at the last look there were more than slots. */
  #isCrowded = true;
  /** Whether webhooks may be due whose organisation has no share of the free slots. */
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

  /** Call it when there are new events. */
  kick(): void {
    this.#horizon.kick();
  }

  /** The number of webhooks in a turn. */
  get inFlight(): number {
    return this.#deliverer.turns.size;
  }

  /**
   * Starts no new request. Requests under way get `graceMs`; one that takes longer is cut, and the next owner
   * of the webhook makes its delivery again.
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
    // While webhooks wait for slots, the longest waiting come first (`#lease`). This step takes as long as the slowest writer of
    // events, so half of the slots stay free for webhooks that are due already.
    const limit = this.#isCrowded || this.#stopping ? 0 : Math.floor(this.#freeSlots / 2);
    // Even a failed step may have made webhooks due.
    let mayBeDue = true;
    try {
      const { result: step, isShared } = await this.#serveLeased(limit, (request) =>
        store.advanceHorizon(request),
      );
      // Slots that this step had reserved, or another statement, may be free now.
      mayBeDue = step.isMore || isShared || this.#isShared;
      // Each step commits separately, and other processes get their turn in between.
      if (step.isBehind) this.#horizon.kick();
    } finally {
      if (mayBeDue) this.#leases.kick();
    }
  }

  async #lease(): Promise<void> {
    const { store } = this.#options;
    while (!this.#stopping) {
      const limit = this.#freeSlots;
      this.#isCrowded = limit === 0;
      if (limit === 0) return;
      const { result, isShared } = await this.#serveLeased(limit, (request) => store.lease(request));
      this.#isShared = leavesOut(this.#shares(1));
      // If organisations without a share had due webhooks, the next look leaves them out. If they have one now, it takes them in.
      const hasMore = result.isMore && result.leased.length > 0;
      if (!hasMore && (!isShared || this.#isShared)) return;
    }
  }

  /** @param limit the most webhooks that the statement leases */
  #shares(limit: number): Shares {
    const held = new Map<string, number>();
    for (const { webhook } of this.#deliverer.turns.keys()) {
      held.set(webhook.organisationId, (held.get(webhook.organisationId) ?? 0) + 1);
    }
    return shareSlots(held, this.#options.slots - this.inFlight - this.#reserved, limit, this.#reserved);
  }

  get #freeSlots(): number {
    return Math.max(
      0,
      Math.min(this.#options.slots - this.inFlight - this.#reserved, WEBHOOKS_PER_STATEMENT),
    );
  }

  /**
   * Starts turns for the webhooks that a statement leases.
   * @returns isShared: an organisation had no share of the slots, and was left out
   */
  async #serveLeased<R extends { readonly leased: readonly LeasedWebhook[] }>(
    limit: number,
    statement: (request: Omit<LeaseRequest, "owner">) => Promise<R>,
  ): Promise<{ readonly result: R; readonly isShared: boolean }> {
    const { now } = this.#options;
    // Taken before the statement, so that a lease never lasts longer here than in the database.
    const leaseUntil = new Date(now().getTime() + LEASE_MS);
    const targetAsked = performance.now();
    const asked = takenAhead(this.#deliverer.turns.keys(), Math.max(1, limit));
    const shares = this.#shares(limit);
    this.#reserved += limit;
    let result: R;
    try {
      result = await statement({ leaseMs: LEASE_MS, limit, shares, perWebhook: asked });
    } finally {
      this.#reserved -= limit;
    }
    for (const webhook of result.leased) {
      this.#serve(new WebhookTurn(webhook, { leaseUntil, asked, now, targetAsked }));
    }
    return { result, isShared: leavesOut(shares) };
  }

  #serve(turn: WebhookTurn): void {
    // After the turn its webhook may be due again, or another one may wait for the slot.
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
