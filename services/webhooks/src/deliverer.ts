import { setMaxListeners } from "node:events";
import { planAfterAttempt } from "#domain/webhooks";
import type { Log, Tracing } from "#runtime";
import type { DeliveryAttempt } from "./deliveries/record-attempts.ts";
import type { PendingDelivery } from "./deliveries/take-deliveries.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { GatheredWork } from "./gathered-work.ts";
import { makeAttempt, type SecretCache, UNSIGNED } from "./make-attempt.ts";
import type { Sender } from "./send/sender.ts";
import type { Turn } from "./turn.ts";

const STATEMENT_SPACING_MS = 4;
/** Webhooks of one statement. */
export const WEBHOOKS_PER_STATEMENT = 250;
/** Deliveries that a webhook with a backlog takes at a time: a few dozen milliseconds of requests for one statement. */
const AHEAD_MAX = 8;
/** What may be held ahead of the request under way, over all webhooks; one delivery each they may have in any case. */
const AHEAD_BYTES = 64 * 1024 * 1024;
/** A full delivery, as a guess made before it is read. */
const DELIVERY_BYTES = 64 * 1024;
/** A turn ends after so long: the next one sees a changed URL and rotated secrets, and others get the slot meanwhile. */
const HOLD_MS = 2_000;
/** Until a webhook none of whose secrets opens is tried again. */
const UNSIGNABLE_MS = 60_000;
const UNSIGNABLE = { kind: "retry", afterMs: UNSIGNABLE_MS, refused: false } as const;

/** What the dispatcher names its statements. */
export const STATEMENTS = ["horizon", "lease", "renew", "take", "record", "release"] as const;
export type StatementName = (typeof STATEMENTS)[number];

export interface DispatchObserver {
  attempted(attempt: DeliveryAttempt, events: number): void;
  /** Events that webhooks were told of. */
  announced(events: number): void;
  timed<T>(statement: StatementName, work: () => Promise<T>): Promise<T>;
}

export interface DelivererOptions {
  readonly store: DeliveryStore;
  readonly sender: Sender;
  readonly secrets: SecretCache;
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

/** Serves webhooks that are leased, each for one turn: take its deliveries, make them in order, record, give it back. */
export class Deliverer {
  readonly #options: DelivererOptions;
  /** With what ends when they are over. */
  readonly #turns = new Map<Turn, Promise<void>>();
  readonly #takes: GatheredWork<Turn, Taken>;
  readonly #records: GatheredWork<Turn, true>;
  readonly #releases: GatheredWork<Turn, true>;
  readonly #hurry = new AbortController();
  #stopping = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    // Every request listens to it, a thousand at once; Node takes more than ten for a leak.
    setMaxListeners(0, this.#hurry.signal);
    const gather = <R>(name: StatementName, work: (turns: readonly Turn[]) => Promise<readonly R[]>) =>
      new GatheredWork<Turn, R>({
        name,
        max: WEBHOOKS_PER_STATEMENT,
        spacingMs: STATEMENT_SPACING_MS,
        work: (turns) => options.observer.timed(name, () => work(turns)),
        isWanted: (turn) => turn.isHeld && !this.#hurry.signal.aborted,
        log: options.log,
      });
    this.#takes = gather("take", (turns) => this.#take(turns));
    this.#records = gather("record", (turns) => this.#record(turns));
    this.#releases = gather("release", (turns) => this.#release(turns));
  }

  /** The webhooks that are served now. */
  get turns(): ReadonlyMap<Turn, unknown> {
    return this.#turns;
  }

  /** Bytes of events that were taken and not yet sent. */
  get heldBytes(): number {
    let bytes = 0;
    for (const turn of this.#turns.keys()) bytes += turn.heldBytes;
    return bytes;
  }

  /** Resolves when the turn is over; never rejects. */
  serve(turn: Turn): Promise<void> {
    const served = this.#serveAndRelease(turn).then(() => void this.#turns.delete(turn));
    this.#turns.set(turn, served);
    return served;
  }

  /** Makes no new request from now on. */
  end(): void {
    this.#stopping = true;
  }

  /** Waits for requests under way. One that takes longer than `graceMs` is cut. */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#hurry.abort(), graceMs);
    await Promise.all(this.#turns.values());
    clearTimeout(timer);
  }

  async #serveAndRelease(turn: Turn): Promise<void> {
    try {
      await this.#serve(turn);
      // One that has run out is not given back: the webhook may have another turn in this process by now.
      if (turn.isHeld) await this.#releases.add(turn);
    } catch (error) {
      // A fault of ours, which would come again at once: the webhook is left alone until the lease runs out.
      this.#options.log.error({ err: error, webhook: turn.webhook.id }, "deliveries to a webhook failed");
    }
  }

  async #serve(turn: Turn): Promise<void> {
    const { now } = this.#options;
    for (;;) {
      const taken = await this.#takes.add(turn);
      if (taken === undefined) return;
      const isMore = await this.#deliver(turn, taken);
      turn.heldBytes = 0;
      // The next ones are read from what is recorded.
      await turn.recording;
      if (!isMore || this.#stopping || now().getTime() - turn.since > HOLD_MS) return;
    }
  }

  async #take(turns: readonly Turn[]): Promise<readonly Taken[]> {
    const perWebhook = this.#takenAhead(turns.length);
    const webhookIds = turns.map(({ webhook }) => webhook.id);
    const taken = new Map<string, PendingDelivery[]>(webhookIds.map((id) => [id, []]));
    for (const delivery of await this.#options.store.take({ webhookIds, perWebhook })) {
      taken.get(delivery.webhookId)?.push(delivery);
    }
    return turns.map((turn) => {
      const deliveries = taken.get(turn.webhook.id) ?? [];
      for (const delivery of deliveries) turn.heldBytes += bytesOf(delivery);
      return { deliveries, isFull: deliveries.length === perWebhook };
    });
  }

  /** At least one for each webhook, so that targets that hang never leave another one without; more while there is room. */
  #takenAhead(webhooks: number): number {
    const room = Math.floor((AHEAD_BYTES - this.heldBytes) / (webhooks * DELIVERY_BYTES));
    return Math.min(AHEAD_MAX, 1 + Math.max(0, room));
  }

  /**
   * Makes one delivery after the other as long as they are answered or parked; records follow beside the next request.
   * @returns whether there may be more to make now
   */
  async #deliver(turn: Turn, { deliveries, isFull }: Taken): Promise<boolean> {
    for (const delivery of deliveries) {
      turn.heldBytes -= bytesOf(delivery);
      const attempt = await this.#attempt(turn, delivery);
      if (attempt === undefined) return false;
      this.#options.observer.attempted(attempt, delivery.eventIds.length);
      turn.unrecorded.push(attempt);
      turn.recording ??= this.#recordAll(turn);
      const { kind } = attempt.next;
      if (kind !== "delivered" && kind !== "parked") return kind === "split";
    }
    return isFull;
  }

  /** undefined: not made, or cut. */
  async #attempt(turn: Turn, delivery: PendingDelivery): Promise<DeliveryAttempt | undefined> {
    if (!turn.mayPost || this.#stopping) return undefined;
    const { now, random, log } = this.#options;
    const { webhook } = turn;
    const at = now();
    const made = { deliveryId: delivery.id, webhookId: webhook.id, at };
    const { signal } = this.#hurry;
    const result = await makeAttempt(this.#options, webhook, delivery, at, signal);
    // Our own fault, so it never disables the webhook.
    if (result === undefined) return { ...made, ...UNSIGNED, next: UNSIGNABLE };
    if (signal.aborted) return undefined;
    const { status, errorClass, answer, retryAfterMs, durationMs } = result;
    const next = planAfterAttempt({
      status,
      errorClass,
      retryAfterMs,
      failures: delivery.failures,
      refusals: delivery.refusals,
      eventCount: delivery.eventIds.length,
      failingSince: turn.failingSince,
      now: now(),
      random: random(),
    });
    turn.failingSince = errorClass === null ? null : (turn.failingSince ?? at);
    if (next.kind === "disable") log.warn({ webhook: webhook.id, status, errorClass }, "webhook is disabled");
    return { ...made, durationMs, status, errorClass, answer, next };
  }

  async #recordAll(turn: Turn): Promise<void> {
    while (turn.unrecorded.length > 0) {
      if ((await this.#records.add(turn)) !== undefined) continue;
      // The database has not been there for as long as the lease stood: all of it is made again.
      turn.unrecorded.length = 0;
      turn.end();
    }
    turn.recording = undefined;
  }

  async #record(turns: readonly Turn[]): Promise<readonly true[]> {
    const counts = turns.map(({ unrecorded }) => unrecorded.length);
    const attempts = turns.flatMap(({ unrecorded }) => unrecorded);
    const gone = new Set(await this.#options.store.record({ attempts }));
    for (const [i, turn] of turns.entries()) {
      // Others may have been made meanwhile.
      turn.unrecorded.splice(0, counts[i]);
      if (gone.has(turn.webhook.id)) turn.end();
    }
    return turns.map(() => true);
  }

  async #release(turns: readonly Turn[]): Promise<readonly true[]> {
    await this.#options.store.release({ webhookIds: turns.map(({ webhook }) => webhook.id) });
    return turns.map(() => true);
  }
}

/** Characters, which are bytes for nearly all that events hold. */
function bytesOf({ bodies }: PendingDelivery): number {
  return bodies.reduce((sum, body) => sum + body.length, 0);
}
