import { randomBytes, randomUUID } from "node:crypto";
import type { Test } from "tap";
import { uuidv7 } from "uuidv7";
import type { EventType } from "#contract";
import { createWebhookSecret, webhookSecretBytes, webhookSecretContext } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation, writeEvents } from "#publisher-db";
import { createLog, makeEncryptionKey, SecretBox } from "#runtime";
import { MovableClock, testServers, waitFor } from "#test-support";
import { createWebhook, rotateWebhookSecret } from "../../edge/src/webhooks/webhook-rows.ts";
import { NOTHING } from "./deliveries/advance-horizon.ts";
import { type DeliveryStore, deliveryStore } from "./delivery-store.ts";
import { Dispatcher } from "./dispatcher.ts";
import { SecretCache } from "./make-attempt.ts";
import type { DispatchObserver } from "./metrics.ts";
import type { Sender, SendRequest, SendResult } from "./send/sender.ts";

const log = createLog({ service: "test", level: "silent" });

/** A request of a dispatcher, and when it was made, by the dispatcher's clock. */
export interface Sent extends SendRequest {
  readonly at: number;
  /** The names of its events, in order. */
  readonly events: readonly string[];
}

/** A target's reaction to a request. A promise that never resolves is a target that hangs. */
export type Script = (sent: Sent) => Partial<SendResult> | Promise<Partial<SendResult>>;

export const refused = (status: number): Partial<SendResult> => ({ status, errorClass: "http_4xx" });
export const failed: Partial<SendResult> = { status: 503, errorClass: "http_5xx" };

/** Measures nothing. */
const unobserved: DispatchObserver = {
  attempted() {},
  timed: (_statement, work) => work(),
};

/** A dispatcher in this process, which a test can kill. */
export interface TestDispatcher {
  readonly dispatcher: Dispatcher;
  /** Like SIGKILL: none of its further queries and requests arrives. */
  kill(): void;
}

/** Dispatchers on a new database whose clock only tests move, and targets that follow a script. */
export class DispatchScene {
  readonly store: Store;
  readonly sent: Sent[] = [];
  script: Script = () => ({});
  readonly #box = new SecretBox(makeEncryptionKey(new Date()));
  /** The living dispatchers, by the owner of their leases. */
  readonly #alive = new Map<string, Dispatcher>();
  readonly #clock: MovableClock;
  #told = 0;
  /** Statements under way that lease. */
  readonly #leasing = new Set<Promise<unknown>>();
  #isPassing = false;

  private constructor(store: Store, clock: MovableClock) {
    this.store = store;
    this.#clock = clock;
  }

  static async start(t: Test): Promise<DispatchScene> {
    const url = await (await testServers()).databaseUrl();
    const clock = await MovableClock.install(url, Date.now());
    const store = connectStore({ url, max: 8, applicationName: "test", plansByIndex: true });
    const scene = new DispatchScene(store, clock);
    t.teardown(async () => {
      await scene.stop();
      await closeStore(store);
    });
    return scene;
  }

  readonly now = (): Date => this.#clock.now;

  /**
   * Lets time pass, while no dispatcher leases: a lease that was asked for before and given after would have
   * ended for the asking process, as if it had been suspended, and no process would serve the webhook until
   * the lease ends in the database, too.
   */
  async pass(ms: number): Promise<void> {
    this.#isPassing = true;
    while (this.#leasing.size > 0) await Promise.allSettled(this.#leasing);
    await this.#clock.pass(ms);
    this.#isPassing = false;
  }

  /** @param nothing the result while time passes */
  #leases<R>(statement: () => Promise<R>, nothing: R): Promise<R> {
    if (this.#isPassing) return Promise.resolve(nothing);
    const underWay = statement().finally(() => this.#leasing.delete(underWay));
    this.#leasing.add(underWay);
    return underWay;
  }

  /** Lets time pass until `at`; does nothing if that is in the past. */
  async passUntil(at: Date): Promise<void> {
    const ms = at.getTime() - this.now().getTime();
    if (ms > 0) await this.pass(ms);
  }

  async organisation(): Promise<string> {
    return (await createOrganisation(this.store, { id: uuidv7(), name: "test" })).id;
  }

  /** Makes a webhook, whose URL is `https://<id>.test/`. */
  async webhook(
    organisationId: string,
    events: readonly EventType[] = ["cashback.created"],
    box = this.#box,
  ) {
    const id = uuidv7();
    const { secret, sealed } = this.#newSecret(id, box);
    const url = `https://${id}.test/`;
    await createWebhook(this.store, { id, organisationId, url, events, description: "", secret: sealed });
    return { id, url, secret };
  }

  #newSecret(webhookId: string, box = this.#box) {
    const id = uuidv7();
    const secret = createWebhookSecret(randomBytes(32));
    const sealed = box.seal(webhookSecretBytes(secret), webhookSecretContext(webhookId, id));
    return { secret, sealed: { id, ...sealed } };
  }

  /** Gives a webhook another secret; returns it. */
  async rotateSecret(organisationId: string, webhookId: string, overlapSeconds: number): Promise<string> {
    const { secret, sealed } = this.#newSecret(webhookId);
    const rotation = { secret: sealed, overlapSeconds, maxSecrets: 5 };
    await rotateWebhookSecret(this.store, organisationId, webhookId, rotation);
    return secret;
  }

  /** Writes events, named e1, e2 and so on over the whole scene; returns their names. */
  async tell(organisationId: string, count: number, type: EventType = "cashback.created"): Promise<string[]> {
    const names = Array.from({ length: count }, () => `e${++this.#told}`);
    const events = names.map((name) => ({
      id: uuidv7(),
      organisationId,
      type,
      at: this.now().toISOString(),
      transactionId: null,
      body: JSON.stringify({ event_id: name }),
    }));
    await this.store.begin((sql) => writeEvents(sql, events));
    return names;
  }

  dispatcher(
    options: {
      slots?: number;
      pollMs?: number;
      store?: (real: DeliveryStore) => DeliveryStore;
      numbers?: number;
    } = {},
  ): TestDispatcher {
    let isDead = false;
    const gone = () => Promise.reject(new Error("killed"));
    const owner = randomUUID();
    const stored = deliveryStore(this.store, owner, options.numbers);
    const real: DeliveryStore = {
      ...stored,
      lease: (request) => this.#leases(() => stored.lease(request), { leased: [], isMore: false }),
      advanceHorizon: (request) => this.#leases(() => stored.advanceHorizon(request), NOTHING),
    };
    const mortal = new Proxy(options.store?.(real) ?? real, {
      get: (target, name: keyof DeliveryStore) => (isDead ? gone : target[name]),
    });
    const sender: Sender = {
      send: (request, signal) => (isDead ? gone() : this.#send(request, signal)),
      close() {},
    };
    const dispatcher = new Dispatcher({
      store: mortal,
      sender,
      secrets: new SecretCache(this.#box, log),
      slots: options.slots ?? 100,
      pollMs: options.pollMs ?? 10,
      now: this.now,
      random: () => 0.5,
      observer: unobserved,
      log,
    });
    this.#alive.set(owner, dispatcher);
    return {
      dispatcher,
      kill: () => {
        isDead = true;
        this.#alive.delete(owner);
        // This only ends its timers: none of its actions arrives any more.
        void dispatcher.stop(0);
      },
    };
  }

  /** Names of the events that were sent to a webhook, once for each time. */
  eventsTo({ url }: { readonly url: string }): string[] {
    return this.sent.filter((sent) => sent.url === url).flatMap(({ events }) => events);
  }

  /**
   * When the next work is due: an attempt, or the end of a dead dispatcher's lease. null: all work is done.
   */
  async nextAt(): Promise<Date | null> {
    const [row] = await this.store<[{ at: Date | null }]>`
      select min(greatest(due_at, lease_until)) as at from webhook_queues where due_at is not null`;
    return row.at;
  }

  /** Whether every event is announced, and no living dispatcher has work now. */
  async isAtRest(): Promise<boolean> {
    if ([...this.#alive.values()].some(({ inFlight }) => inFlight > 0)) return false;
    const [row] = await this.store<[{ rest: boolean }]>`
      select coalesce((select max(sequence) from events), 0) <= (select sequence from webhook_horizon)
        and not exists (select from webhook_starts)
        and not exists (
          select from webhook_queues
          where owner = any(${[...this.#alive.keys()]}::uuid[])
            or due_at <= now() and (lease_until is null or lease_until <= now())
        ) as rest`;
    return row.rest;
  }

  /** Lets time pass from one due time to the next, until everything is delivered or `isEnough()`. */
  async run(isEnough: () => boolean = () => false): Promise<void> {
    while (!isEnough()) {
      await waitFor(() => this.isAtRest(), { message: "they do not come to rest" }).catch(async (error) => {
        throw new Error(`${error.message}: ${JSON.stringify(await this.#left())}`, { cause: error });
      });
      // Checked at rest: if the clock moved on first, another attempt could come before the next check.
      const next = isEnough() ? null : await this.nextAt();
      if (next === null) return;
      await this.passUntil(next);
    }
  }

  /** The reason why they are not at rest. */
  async #left(): Promise<object> {
    const queues = await this.store`
      select q.*, now() as now, (select max(sequence) from events) as events, h.sequence as horizon
      from webhook_queues q cross join webhook_horizon h
      where q.owner is not null or q.due_at is not null`;
    const alive = Array.from(this.#alive, ([owner, { inFlight }]) => ({ owner, inFlight }));
    return { alive, queues };
  }

  async stop(): Promise<void> {
    const alive = [...this.#alive.values()];
    this.#alive.clear();
    await Promise.all(alive.map((dispatcher) => dispatcher.stop(0)));
  }

  async #send(request: SendRequest, signal?: AbortSignal): Promise<SendResult> {
    const { events } = JSON.parse(request.body) as { events: { event_id: string }[] };
    const sent = { ...request, at: this.now().getTime(), events: events.map(({ event_id }) => event_id) };
    this.sent.push(sent);
    const cut = new Promise<Partial<SendResult>>((resolve) => {
      signal?.addEventListener("abort", () => resolve({ status: null, errorClass: "timeout" }));
    });
    const result = await Promise.race([this.script(sent), cut]);
    return { status: 200, errorClass: null, answer: "", retryAfterMs: null, durationMs: 1, ...result };
  }
}
