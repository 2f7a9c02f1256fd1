import { setMaxListeners } from "node:events";
import { failedAgain, planAfterAttempt } from "#domain/webhooks";
import { refusalOfData } from "#postgres";
import { Gathering, LOCKED, type Log, type Tracing } from "#runtime";
import type { DeliveryAttempt } from "./deliveries/attempt-record.ts";
import type { PendingDelivery } from "./deliveries/cut-events.ts";
import type { Target } from "./deliveries/leased-webhook.ts";
import type { WebhookTurn } from "./deliveries/webhook-turn.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { hold, type Taken, takenAhead } from "./hold-deliveries.ts";
import { makeAttempt, type SecretCache, UNSIGNED } from "./make-attempt.ts";
import type { DispatchObserver, StatementName } from "./metrics.ts";
import type { Sender } from "./send/sender.ts";

const STATEMENT_SPACING_MS = 4;
/** The most webhooks that one statement serves. */
export const WEBHOOKS_PER_STATEMENT = 250;
/** Each request of a turn waits for such a statement, so those of many turns gather only for a moment. */
const TARGET_SPACING_MS = 1;
/**
 * After this time a turn ends with the delivery under way, so that others get the slot. Deliveries that were taken for it and not
 * sent stay taken, and come in the next turn.
 */
const HOLD_MS = 2_000;
/** How long until a webhook is tried again if none of its secrets opens. */
const UNSIGNABLE_MS = 60_000;
const UNSIGNABLE = { kind: "retry", afterMs: UNSIGNABLE_MS, refused: false } as const;

export interface DelivererOptions {
  readonly store: DeliveryStore;
  readonly sender: Sender;
  readonly secrets: SecretCache;
  /** The database's time: the database judges leases and schedules by it as well. */
  readonly now: () => Date;
  /** A number from [0, 1). */
  readonly random: () => number;
  readonly observer: DispatchObserver;
  readonly tracing?: Tracing | undefined;
  readonly log: Log;
}

/** One statement does the work of all turns that wait at the same time. Undefined: the work was given up. */
type Gathered<R> = (turn: WebhookTurn) => Promise<R | undefined>;

/**
 * Serves leased webhooks, each for one turn: takes its deliveries, makes them in order, records them, gives the webhook back. The
 * first deliveries mostly come with the lease, and the record of the last gives the webhook back: then a turn is two statements.
 */
export class Deliverer {
  readonly #options: DelivererOptions;
  /** The turns under way, each with a promise that resolves when it is over. */
  readonly #turns = new Map<WebhookTurn, Promise<void>>();
  readonly #targets: Gathered<Target | null>;
  readonly #takes: Gathered<Taken>;
  readonly #records: Gathered<true>;
  readonly #releases: Gathered<true>;
  readonly #hurry = new AbortController();
  #stopping = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    // Up to a thousand requests listen to this signal, and Node reports more than ten listeners as a leak.
    setMaxListeners(0, this.#hurry.signal);
    const gather = <R>(
      name: StatementName,
      work: (turns: readonly WebhookTurn[]) => Promise<ReadonlyArray<R | typeof LOCKED>>,
      spacingMs = STATEMENT_SPACING_MS,
    ): Gathered<R> => {
      const gathering = new Gathering<WebhookTurn, R>({
        work: (turns) => options.observer.timed(name, () => work(turns)),
        max: WEBHOOKS_PER_STATEMENT,
        spacingMs,
        isOfItem: (error) => refusalOfData(error) !== undefined,
        isWanted: (turn) => turn.isHeld && !this.#hurry.signal.aborted,
        onFailed: (err, items) => options.log.warn({ err, work: name, items }, "webhook work failed"),
      });
      return (turn) => gathering.add(turn).catch(() => undefined);
    };
    this.#targets = gather("target", (turns) => this.#readTargets(turns), TARGET_SPACING_MS);
    this.#takes = gather("take", (turns) => this.#take(turns));
    this.#records = gather("record", (turns) => this.#record(turns));
    this.#releases = gather("release", (turns) => this.#release(turns));
  }

  /** The turns under way. */
  get turns(): ReadonlyMap<WebhookTurn, unknown> {
    return this.#turns;
  }

  /** Resolves when the turn is over; never rejects. */
  serve(turn: WebhookTurn): Promise<void> {
    // Not within this call: the turn must be in the map before its first request is made.
    const served = Promise.resolve()
      .then(() => this.#serveAndRelease(turn))
      .then(() => void this.#turns.delete(turn));
    this.#turns.set(turn, served);
    return served;
  }

  /** Makes no new request from now on. */
  end(): void {
    this.#stopping = true;
  }

  /** Waits for requests under way. A request that takes longer than `graceMs` is cut. */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#hurry.abort(), graceMs);
    await Promise.all(this.#turns.values());
    clearTimeout(timer);
  }

  async #serveAndRelease(turn: WebhookTurn): Promise<void> {
    try {
      await this.#serve(turn);
      // If the lease has ended, the webhook is not given back: it may have another turn in this process by now.
      if (turn.isHeld && !turn.isReleased) await this.#releases(turn);
    } catch (error) {
      // A fault of ours would repeat immediately, so the webhook rests until its lease ends.
      this.#options.log.error({ err: error, webhook: turn.webhook.id }, "deliveries to a webhook failed");
    }
  }

  async #serve(turn: WebhookTurn): Promise<void> {
    const { first } = turn.webhook;
    for (let taken = first.length === 0 ? undefined : hold(turn, first, turn.asked); ; taken = undefined) {
      taken ??= await this.#takes(turn);
      if (taken === undefined) return;
      const isMore = await this.#deliver(turn, taken);
      turn.heldBytes = 0;
      // The next deliveries are read from the database, so these are recorded first.
      await turn.recording;
      if (!isMore || this.#stopping || turn.ageMs > HOLD_MS) return;
    }
  }

  /** null: no more requests may be made to the webhook. */
  async #readTargets(turns: readonly WebhookTurn[]): Promise<ReadonlyArray<Target | null>> {
    const webhookIds = turns.map(({ webhook }) => webhook.id);
    const targets = await this.#options.store.target({ webhookIds });
    return turns.map(({ webhook }) => targets.get(webhook.id) ?? null);
  }

  /** The current target of the next request; undefined: no more requests. */
  async #targetOf(turn: WebhookTurn): Promise<Target | undefined> {
    const fresh = turn.takeFreshTarget();
    if (fresh !== undefined) return fresh;
    const target = await this.#targets(turn);
    if (target === undefined) return undefined;
    if (target === null) turn.end();
    else turn.renewTarget(target);
    return target === null || !turn.mayPost || this.#stopping ? undefined : target;
  }

  async #take(turns: readonly WebhookTurn[]): Promise<ReadonlyArray<Taken | typeof LOCKED>> {
    const perWebhook = takenAhead(this.#turns.keys(), turns.length);
    const webhookIds = turns.map(({ webhook }) => webhook.id);
    const taken = new Map<string, PendingDelivery[]>(webhookIds.map((id) => [id, []]));
    const { deliveries, locked } = await this.#options.store.take({ webhookIds, perWebhook });
    for (const delivery of deliveries) taken.get(delivery.webhookId)?.push(delivery);
    return turns.map((turn) =>
      locked.includes(turn.webhook.id) ? LOCKED : hold(turn, taken.get(turn.webhook.id) ?? [], perWebhook),
    );
  }

  /**
   * Makes one delivery after the other, as long as each is delivered. An attempt is recorded while the next request is under way.
   * Whether a delivery is parked or split is known only when its attempt is recorded: a refusal counts only if the URL is still the same.
   * @returns whether there may be more to make now
   */
  async #deliver(turn: WebhookTurn, { deliveries, isFull }: Taken): Promise<boolean> {
    const last = deliveries.at(-1);
    for (const delivery of deliveries) {
      turn.heldBytes -= delivery.body.length;
      const attempt = await this.#attempt(turn, delivery);
      if (attempt === undefined) return false;
      this.#options.observer.attempted(attempt, delivery.events);
      turn.unrecorded.push(attempt);
      const { kind } = attempt.next;
      turn.isFinished = kind === "delivered" && delivery === last && !isFull;
      turn.recording ??= this.#recordAll(turn);
      if (kind !== "delivered") return kind === "parked" || kind === "split";
      if (turn.ageMs > HOLD_MS) return true;
    }
    return isFull;
  }

  /** undefined: the attempt was not made, or was cut. */
  async #attempt(turn: WebhookTurn, delivery: PendingDelivery): Promise<DeliveryAttempt | undefined> {
    if (!turn.mayPost || this.#stopping) return undefined;
    const { now, random, log } = this.#options;
    const { id } = turn.webhook;
    const known = turn.target.revision;
    const target = await this.#targetOf(turn);
    if (target === undefined) return undefined;
    // The webhook got another URL or was started since the delivery was read: the next turn reads its counts of failures anew.
    if (target.revision !== known && delivery.failures + delivery.refusals > 0) return undefined;
    const at = now();
    const { failing } = turn;
    const { revision } = target;
    const made = {
      deliveryId: delivery.id,
      webhookId: id,
      at,
      cut: delivery.cut,
      revision,
      wasUp: failing === null,
    };
    const { signal } = this.#hurry;
    const result = await makeAttempt(this.#options, { id, target }, delivery, at, signal);
    // A fault of ours, so it does not count against the webhook and never disables it.
    if (result === undefined) return { ...made, ...UNSIGNED, failing, next: UNSIGNABLE };
    if (signal.aborted) return undefined;
    const { status, errorClass, answer, retryAfterMs, durationMs } = result;
    turn.failing = errorClass === null ? null : failedAgain(failing, at);
    const next = planAfterAttempt({
      status,
      errorClass,
      retryAfterMs,
      failures: delivery.failures,
      refusals: delivery.refusals,
      eventCount: delivery.events,
      failingMs: turn.failing?.ms ?? 0,
      random: random(),
    });
    if (next.kind === "disable") log.warn({ webhook: id, status, errorClass }, "webhook is disabled");
    return { ...made, failing: turn.failing, durationMs, status, errorClass, answer, next };
  }

  async #recordAll(turn: WebhookTurn): Promise<void> {
    while (turn.unrecorded.length > 0) {
      if ((await this.#records(turn)) !== undefined) continue;
      // It was given up: the lease ended, the process is ending, or the database refused it. The next owner
      // makes these deliveries again.
      turn.unrecorded.length = 0;
      turn.end();
    }
    turn.recording = undefined;
  }

  async #record(turns: readonly WebhookTurn[]): Promise<ReadonlyArray<true | typeof LOCKED>> {
    const counts = turns.map(({ unrecorded }) => unrecorded.length);
    const attempts = turns.flatMap(({ unrecorded }) => unrecorded);
    const finished = turns.filter(({ isFinished }) => isFinished).map(({ webhook }) => webhook.id);
    const { locked, gone, released, due } = await this.#options.store.record({ attempts, finished });
    const ended = new Set(gone);
    const given = new Set(released);
    const again = new Set(due);
    return turns.map((turn, i) => {
      if (locked.includes(turn.webhook.id)) return LOCKED;
      // More attempts may have been added meanwhile.
      turn.unrecorded.splice(0, counts[i]);
      if (ended.has(turn.webhook.id)) turn.end();
      turn.isReleased = given.has(turn.webhook.id);
      turn.isAsleep = turn.isReleased && !again.has(turn.webhook.id);
      return true;
    });
  }

  async #release(turns: readonly WebhookTurn[]): Promise<ReadonlyArray<true | typeof LOCKED>> {
    const locked = await this.#options.store.release({ webhookIds: turns.map(({ webhook }) => webhook.id) });
    return turns.map((turn) => (locked.includes(turn.webhook.id) ? LOCKED : true));
  }
}
