import type { Test } from "tap";
import { verifyWebhook } from "#client";
import { EVENT_TYPES, type TransactionEvent, type WebhookEvent } from "#contract";
import { freePort } from "#embedded";
import {
  answer,
  makeEvent,
  type ReceivedRequest,
  type ReceiverStep,
  readMetric,
  type ServiceName,
  type ServiceProcess,
  startWebhookReceiver,
  type WebhookReceiver,
  waitFor,
} from "#test-support";
import { LoyaltyLoop, type Purchase } from "../loyalty-loop.ts";
import { WrongClock } from "./wrong-clock.ts";

export const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks"] as const;

const MERCHANT = "ROASTERY-1";
/** Usual receivers allow 5 minutes; these run on the machine that has the right time. */
const TOLERANCE_SECONDS = 30;
/** For processes that start, and for messages that wait for their first retry. */
const DEADLINE_MS = 60_000;

/** A webhook as its receiver knows it. */
export interface Hook {
  readonly id: string;
  readonly path: string;
  /** Any of them may verify a request. */
  readonly secrets: string[];
}

/**
 * The whole loop. The test sets a separate clock for each service; a second webhooks process has the right
 * time. The servers, the integrator and the receiver have the kernel's time.
 */
export class ClockScene {
  readonly loop: LoyaltyLoop;
  readonly clocks: Readonly<Record<ServiceName, WrongClock>>;
  readonly receiver: WebhookReceiver;
  readonly purchases: Purchase[] = [];
  readonly hooks = new Map<string, Hook>();
  readonly #ada: string;
  readonly #right: ServiceProcess;
  /** The status that a path answers to its next request, instead of 200. */
  readonly #refusals = new Map<string, number>();
  readonly #refused = new Set<ReceivedRequest>();

  static async open(t: Test, library: string): Promise<ClockScene> {
    const clocks = Object.fromEntries(SERVICES.map((service) => [service, new WrongClock(library)]));
    t.teardown(() => Object.values(clocks).forEach((clock) => void clock.remove()));
    const receiver = await startWebhookReceiver();
    t.teardown(() => receiver.close());
    const loop = await LoyaltyLoop.open(t, {
      env: {
        STAMPEDE_LOG_LEVEL: "warn",
        STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
        STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
        // Fixed ports, so that callers find the services again after a restart.
        STAMPEDE_HTTP_PORT: `${await freePort()}`,
        STAMPEDE_PLATFORM_PORT: `${await freePort()}`,
      },
      envOf: (service) => clocks[service]?.env ?? {},
    });
    await loop.pipeline.start("webhooks");
    const right = await loop.pipeline.start("webhooks", { LD_PRELOAD: "" });
    await loop.opensShop("Roastery", MERCHANT);
    const program = await loop.offers("loyalty-program", {
      name: "Every second coffee",
      qualifying_threshold: 2,
      reward_config: { type: "fixed-reward", amount: 300 },
      rules: { merchant_ids: [MERCHANT], currency: "EUR" },
    });
    const ada = await loop.joins("ada");
    await loop.enrols(ada, program);
    return new ClockScene({ loop, clocks: clocks as Record<ServiceName, WrongClock>, receiver, ada, right });
  }

  private constructor(parts: {
    loop: LoyaltyLoop;
    clocks: Record<ServiceName, WrongClock>;
    receiver: WebhookReceiver;
    ada: string;
    right: ServiceProcess;
  }) {
    this.loop = parts.loop;
    this.clocks = parts.clocks;
    this.receiver = parts.receiver;
    this.#ada = parts.ada;
    this.#right = parts.right;
    this.receiver.follow((request) => this.#answer(request));
  }

  async subscribes(name: string): Promise<Hook> {
    const path = `/${name}`;
    const url = this.receiver.url + path;
    const { id, secret } = await this.loop.publisher("webhook/create", { url, events: EVENT_TYPES });
    const hook = { id, path, secrets: [secret] };
    this.hooks.set(path, hook);
    return hook;
  }

  /** The next request to the hook gets this status. */
  refusesNext({ path }: Hook, status: number): void {
    this.#refusals.set(path, status);
  }

  /** A coffee, authorized now and not ingested yet. */
  coffee(name: string): Purchase {
    const event = makeEvent(this.#ada, {
      auth_code: `C${this.purchases.length}`,
      merchant_id: MERCHANT,
      amount: 450,
      currency: "EUR",
      authed_at: new Date().toISOString(),
    });
    const purchase = { name, event };
    this.purchases.push(purchase);
    return purchase;
  }

  /** The integrator ingests it. 202 will do as well: a process that is just starting again takes its time. */
  async tells({ event }: Purchase, more: Partial<TransactionEvent> = {}): Promise<void> {
    const { status, body } = await this.loop.integrator.ingest([{ ...event, ...more }]);
    if (status !== 200 && status !== 202) {
      throw new Error(`transaction/ingest answered ${status}: ${JSON.stringify(body)}`);
    }
  }

  /** Each coffee is bought, paid and cleared before the next. */
  async buys(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const purchase = this.coffee(`coffee ${this.purchases.length}`);
      await this.tells(purchase);
      await this.loop.paid(purchase);
      await this.tells(purchase, { cleared_at: new Date().toISOString() });
    }
  }

  /** Processes whose clocks the test sets. */
  get wrong(): ServiceProcess[] {
    const running = [...this.loop.pipeline.processes].filter(
      (process) => process !== this.#right && process.child.exitCode === null,
    );
    return SERVICES.map((name) => running.find(({ service }) => service === name) as ServiceProcess);
  }

  /**
   * Restarts all of them at once, at the same addresses: at its start a process goes by the clock of that
   * moment.
   */
  async restart(): Promise<void> {
    await Promise.all(
      this.wrong.map(async (process) => {
        await process.stop();
        await this.loop.pipeline.start(process.service);
      }),
    );
  }

  /** Waits until every process reports the clock that the test has set. */
  async whenReported(): Promise<void> {
    for (const process of this.wrong) {
      const { offset } = this.clocks[process.service as ServiceName];
      const isReported = async () => Math.abs((await offsetSaidBy(process)) - offset) < 5;
      await waitFor(isReported, {
        deadlineMs: DEADLINE_MS,
        message: `${process.service} does not say that it is ${offset} s off`,
      });
    }
  }

  /** Waits until the services have settled everything, and the hooks have got all events. */
  async settles(...hooks: readonly Hook[]): Promise<WebhookEvent[]> {
    await this.loop.settles();
    const expected = await this.loop.events();
    for (const hook of hooks) {
      const isTold = () => new Set(this.accepted(hook)).size >= expected.length;
      await waitFor(isTold, { deadlineMs: DEADLINE_MS, message: `${hook.path} was not told of all` });
    }
    return expected;
  }

  requestsTo({ path }: Hook): ReceivedRequest[] {
    return this.receiver.requests.filter((request) => request.path === path);
  }

  /** Ids of the events to which it answered 200, in the order of arrival. */
  accepted(hook: Hook): string[] {
    return this.requestsTo(hook)
      .filter((request) => !this.#refused.has(request))
      .flatMap(({ body }) => (JSON.parse(body) as { events: WebhookEvent[] }).events)
      .map((event) => event.event_id);
  }

  /** The faults of the requests that a receiver with the right time would not have taken. */
  signatureFaults(hook: Hook): string[] {
    return this.requestsTo(hook).flatMap(({ headers, body, at }) => {
      const arrived = new Date(performance.timeOrigin + at);
      try {
        for (const secret of hook.secrets) {
          verifyWebhook(secret, headers, body, { now: arrived, toleranceSeconds: TOLERANCE_SECONDS });
        }
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
  }

  #answer(request: ReceivedRequest): ReceiverStep {
    const status = this.#refusals.get(request.path);
    if (status === undefined) return answer(200);
    this.#refusals.delete(request.path);
    this.#refused.add(request);
    return answer(status);
  }
}

const offsetSaidBy = (process: ServiceProcess) => readMetric(process, "stampede_clock_offset_seconds");
