import { setMaxListeners } from "node:events";
import { encodeId, planAfterAttempt } from "#domain";
import { type Log, type Repeated, repeat, type Tracing } from "#runtime";
import type { DeliveryAttempt, PendingDelivery } from "#store";
import { beginAttemptSpan, endAttemptSpan } from "./attempt-span.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { GatheredWork } from "./gathered-work.ts";
import { Lane } from "./lane.ts";
import { type SecretCache, UNSIGNED } from "./secret-cache.ts";
import type { Sender } from "./send/sender.ts";

/** How long a webhook stays with a process that is gone. */
const LEASE_MS = 10_000;
/** Three of them fit into a lease: one that fails is made up for. */
const RENEW_MS = 3_000;
const POLL_MS = 250;
/** Looking how far events are settled takes some statements, one of them over all locks: not more often than this. */
const HORIZON_SPACING_MS = 5;
const LEASE_SPACING_MS = 5;
const STATEMENT_SPACING_MS = 4;
/** Webhooks of one statement. */
const WEBHOOKS_PER_STATEMENT = 250;
/** Deliveries that a webhook with a backlog takes at a time: a few dozen milliseconds of requests for one statement. */
const AHEAD_MAX = 8;
/** What may be held ahead of the request under way, over all webhooks; one delivery each they may have in any case. */
const AHEAD_BYTES = 64 * 1024 * 1024;
/** A full delivery, as a guess made before it is read. */
const DELIVERY_BYTES = 64 * 1024;
/** Then a lane ends, so that a changed URL, rotated secrets and whoever waits for a slot get their turn. */
const HOLD_MS = 2_000;
/** Until a webhook none of whose secrets opens is tried again. */
const UNSIGNABLE_MS = 60_000;
const UNSIGNABLE = { kind: "retry", afterMs: UNSIGNABLE_MS, refused: false } as const;

export interface DispatchObserver {
  attempted(attempt: DeliveryAttempt, events: number): void;
  /** Events that webhooks were told of. */
  announced(events: number): void;
  timed<T>(statement: string, work: () => Promise<T>): Promise<T>;
}

export interface DispatcherOptions {
  readonly store: DeliveryStore;
  readonly sender: Sender;
  readonly secrets: SecretCache;
  /** Webhooks that are served at once; one that hangs holds one of them for as long as the sender waits. */
  readonly slots: number;
  /** How often it looks by itself, 250 ms by default: what a lost kick costs. */
  readonly pollMs?: number;
  /** The database's time: leases and schedules are judged by it there as well. */
  readonly now: () => Date;
  /** From [0, 1). */
  readonly random: () => number;
  readonly observer: DispatchObserver;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/** Deliveries of a webhook that may be made now, in order. */
interface Taken {
  readonly deliveries: readonly PendingDelivery[];
  /** There may be more. */
  readonly isFull: boolean;
}

/**
 * Makes deliveries: finds what is new, leases webhooks that have something due, and serves each in a lane of its own. Any
 * number of processes do so beside each other.
 *
 * Order: a request starts only when the one before it was answered with 2xx, or its delivery parked, as this process has
 * seen itself or as it is recorded. So the first arrivals are in order, whatever is made twice:
 *
 * - A process dies after a request and before its record: another one makes the same delivery again, under the same id.
 * - A process is suspended, or the database cannot be reached, until the lease runs out: it makes no further request, and
 *   its records are refused by the database, which knows the owner. What it had under way is made again elsewhere.
 * - The database is gone for less than that: what was answered is kept and recorded when it is back.
 * - A webhook is paused or disabled: its lane ends at the next renewal. Deleted: likewise, and nothing is recorded.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes = new Set<Lane>();
  readonly #served = new Set<Promise<void>>();
  readonly #horizon: Repeated;
  readonly #leases: Repeated;
  readonly #renewal: Repeated;
  readonly #takes: GatheredWork<Lane, Taken>;
  readonly #records: GatheredWork<Lane, true>;
  readonly #releases: GatheredWork<Lane, true>;
  readonly #hurry = new AbortController();
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    // Every request listens to it.
    setMaxListeners(0, this.#hurry.signal);
    const { log, pollMs = POLL_MS } = options;
    const gather = <R>(name: string, work: (lanes: readonly Lane[]) => Promise<readonly R[]>) =>
      new GatheredWork<Lane, R>({
        name,
        max: WEBHOOKS_PER_STATEMENT,
        spacingMs: STATEMENT_SPACING_MS,
        work: (lanes) => options.observer.timed(name, () => work(lanes)),
        isWanted: (lane) => lane.isHeld && !this.#hurry.signal.aborted,
        log,
      });
    this.#takes = gather("take", (lanes) => this.#take(lanes));
    this.#records = gather("record", (lanes) => this.#record(lanes));
    this.#releases = gather("release", (lanes) => this.#release(lanes));
    const run = (name: string, spacingMs: number, everyMs: number, work: () => Promise<void>) => {
      const timed = () => options.observer.timed(name, work);
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
    return this.#lanes.size;
  }

  /** Bytes of events that were taken and not yet sent. */
  get heldBytes(): number {
    let bytes = 0;
    for (const lane of this.#lanes) bytes += lane.heldBytes;
    return bytes;
  }

  /**
   * Makes no new request. Those under way get `graceMs`; one that takes longer is cut, and its delivery made again by
   * whoever gets the webhook.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    await Promise.all([this.#horizon.stop(), this.#leases.stop()]);
    const timer = setTimeout(() => this.#hurry.abort(), graceMs);
    await Promise.all(this.#served);
    clearTimeout(timer);
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
    while (!this.#stopping && this.#lanes.size < slots) {
      const limit = Math.min(slots - this.#lanes.size, WEBHOOKS_PER_STATEMENT);
      // Counted from before the question, so that it never stands longer here than in the database.
      const leaseUntil = new Date(now().getTime() + LEASE_MS);
      const leased = await store.lease({ leaseMs: LEASE_MS, limit });
      for (const webhook of leased) this.#open(new Lane(webhook, leaseUntil, now));
      if (leased.length < limit) return;
    }
  }

  async #renew(): Promise<void> {
    const { store, now } = this.#options;
    const lanes = [...this.#lanes].filter((lane) => lane.mayPost);
    if (lanes.length === 0) return;
    const leaseUntil = new Date(now().getTime() + LEASE_MS);
    const webhookIds = lanes.map(({ webhook }) => webhook.id);
    const renewed = new Set(await store.renew({ webhookIds, leaseMs: LEASE_MS }));
    for (const lane of lanes) {
      if (renewed.has(lane.webhook.id)) lane.renew(leaseUntil);
      else lane.end();
    }
  }

  #open(lane: Lane): void {
    this.#lanes.add(lane);
    const serving = this.#serveAndRelease(lane).then(() => {
      this.#lanes.delete(lane);
      this.#served.delete(serving);
      // It may be due again, and another one may have waited for the slot.
      this.#leases.kick();
    });
    this.#served.add(serving);
  }

  async #serveAndRelease(lane: Lane): Promise<void> {
    try {
      await this.#serve(lane);
      // One that has run out is not given back: it may be that of another lane of this process by now.
      if (lane.isHeld) await this.#releases.add(lane);
    } catch (error) {
      // A fault of ours, which would come again at once: the webhook is left alone until the lease runs out.
      this.#options.log.error({ err: error, webhook: lane.webhook.id }, "deliveries to a webhook failed");
    }
  }

  async #serve(lane: Lane): Promise<void> {
    const { now } = this.#options;
    for (;;) {
      const taken = await this.#takes.add(lane);
      if (taken === undefined) return;
      const isMore = await this.#deliver(lane, taken);
      lane.heldBytes = 0;
      // The next ones are read from what is recorded.
      await lane.recording;
      if (!isMore || this.#stopping || now().getTime() - lane.since > HOLD_MS) return;
    }
  }

  /**
   * Makes one delivery after the other as long as they are answered or parked; records follow beside the next request.
   * @returns whether there may be more to make now
   */
  async #deliver(lane: Lane, { deliveries, isFull }: Taken): Promise<boolean> {
    for (const delivery of deliveries) {
      lane.heldBytes -= bytesOf(delivery);
      const attempt = await this.#attempt(lane, delivery);
      if (attempt === undefined) return false;
      this.#options.observer.attempted(attempt, delivery.eventIds.length);
      lane.unrecorded.push(attempt);
      lane.recording ??= this.#recordAll(lane);
      const { kind } = attempt.next;
      if (kind !== "delivered" && kind !== "parked") return kind === "split";
    }
    return isFull;
  }

  /** undefined: not made, or cut. */
  async #attempt(lane: Lane, delivery: PendingDelivery): Promise<DeliveryAttempt | undefined> {
    if (!lane.mayPost || this.#stopping) return undefined;
    const { sender, now, random, tracing, log } = this.#options;
    const { webhook } = lane;
    const at = now();
    const made = { deliveryId: delivery.id, webhookId: webhook.id, at };
    const secrets = this.#options.secrets.open(webhook.id, webhook.secrets);
    // Our own fault, so it never disables the webhook.
    if (secrets.length === 0) return { ...made, ...UNSIGNED, next: UNSIGNABLE };
    const span = tracing && beginAttemptSpan(tracing, webhook.url, delivery);
    const request = {
      url: webhook.url,
      webhookId: encodeId("dlv", delivery.id),
      timestamp: at,
      body: `{"events":[${delivery.bodies.join(",")}]}`,
      secrets,
      traceparent: span?.traceparent,
    };
    const result = await sender.send(request, this.#hurry.signal);
    if (span !== undefined) endAttemptSpan(span, result);
    if (this.#hurry.signal.aborted) return undefined;
    const { status, errorClass, answer, retryAfterMs } = result;
    const next = planAfterAttempt({
      status,
      errorClass,
      retryAfterMs,
      failures: delivery.failures,
      refusals: delivery.refusals,
      eventCount: delivery.eventIds.length,
      failingSince: lane.failingSince,
      now: now(),
      random: random(),
    });
    lane.failingSince = errorClass === null ? null : (lane.failingSince ?? at);
    if (next.kind === "disable") log.warn({ webhook: webhook.id, status, errorClass }, "webhook is disabled");
    const durationMs = Math.round(result.durationMs);
    return { ...made, durationMs, status, errorClass, answer, next };
  }

  async #recordAll(lane: Lane): Promise<void> {
    while (lane.unrecorded.length > 0) {
      if ((await this.#records.add(lane)) !== undefined) continue;
      // The database has not been there for as long as the lease stood: all of it is made again.
      lane.unrecorded.length = 0;
      lane.end();
    }
    lane.recording = undefined;
  }

  async #record(lanes: readonly Lane[]): Promise<readonly true[]> {
    const { store } = this.#options;
    const counts = lanes.map(({ unrecorded }) => unrecorded.length);
    const attempts = lanes.flatMap(({ unrecorded }) => unrecorded);
    const gone = new Set(await store.record({ attempts }));
    for (const [i, lane] of lanes.entries()) {
      // Others may have been made meanwhile.
      lane.unrecorded.splice(0, counts[i]);
      if (gone.has(lane.webhook.id)) lane.end();
    }
    return lanes.map(() => true);
  }

  async #take(lanes: readonly Lane[]): Promise<readonly Taken[]> {
    const { store } = this.#options;
    const perWebhook = this.#takenAhead(lanes.length);
    const webhookIds = lanes.map(({ webhook }) => webhook.id);
    const taken = new Map<string, PendingDelivery[]>(webhookIds.map((id) => [id, []]));
    for (const delivery of await store.take({ webhookIds, perWebhook })) {
      taken.get(delivery.webhookId)?.push(delivery);
    }
    return lanes.map((lane) => {
      const deliveries = taken.get(lane.webhook.id) ?? [];
      for (const delivery of deliveries) lane.heldBytes += bytesOf(delivery);
      return { deliveries, isFull: deliveries.length === perWebhook };
    });
  }

  /** One for each, so that those who hang never keep the room that another one needs; more while there is room. */
  #takenAhead(webhooks: number): number {
    const room = Math.floor((AHEAD_BYTES - this.heldBytes) / (webhooks * DELIVERY_BYTES));
    return Math.min(AHEAD_MAX, 1 + Math.max(0, room));
  }

  async #release(lanes: readonly Lane[]): Promise<readonly true[]> {
    const { store } = this.#options;
    await store.release({ webhookIds: lanes.map(({ webhook }) => webhook.id) });
    return lanes.map(() => true);
  }
}

/** Characters, which are bytes for nearly all that events hold. */
function bytesOf({ bodies }: PendingDelivery): number {
  return bodies.reduce((sum, body) => sum + body.length, 0);
}
