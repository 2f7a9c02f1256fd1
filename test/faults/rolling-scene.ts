import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import { EVENT_TYPES, type EventDelivery, type TransactionEvent } from "#contract";
import { encodeId, transactionIdentifiers } from "#domain";
import { hasUws } from "#http";
import {
  answer,
  DISPLAY_CONTENT,
  isLoopAtRest,
  makeEvent,
  type Pipeline,
  PlatformClient,
  PlatformLink,
  PublisherClient,
  type RawAnswer,
  type ServiceName,
  type ServiceProcess,
  startPipeline,
  startWebhookReceiver,
  succeeded,
  WebhookAudit,
  waitFor,
} from "#test-support";
import { Caller, siteOf, World } from "#test-world";
import { Balancer } from "./balancer.ts";
import { Route } from "./route.ts";

export const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks"] as const;
/** The adapters of a service's two processes. If this Node has no uWebSockets.js, both use node:http. */
const ADAPTERS = [hasUws() ? "uws" : "node", "node"] as const;
/** Longer than the interval of the balancer's looks. */
const DRAIN_DELAY_MS = "300";
/** Each way to the edge has one. */
const LANES = 3;
/**
 * No lane is silent for long, even after large requests of all lanes: a server may close a silent connection
 * while it drains (`LIMITS.drainQuietMs`).
 */
const RATE = 150;
const EVENTS_MAX = 20;
/** The interval of each reader, and of each shop. */
const CALL_EVERY_MS = 150;
const MEMBERS = 12;
const SHOP = "SHOP-1";
const SETTLE_MS = 60_000;

/**
 * Two processes of every service, a load balancer in front of each API, and callers of all kinds: some come through the
 * balancer, some keep a connection straight to one process. Of two processes with an API one runs on each adapter.
 */
export class RollingScene {
  readonly pipeline: Pipeline;
  readonly routes: Route[] = [];
  /** Answers to callers that are not the load, by route and status. */
  readonly answers: Record<string, number> = {};
  /** Exit codes of processes that had to stop. */
  readonly exits: Array<{ service: ServiceName; code: number | null; drainMs: number; output: string }> = [];
  readonly #link: PlatformLink;
  readonly #audit = new WebhookAudit("webhook");
  readonly #slots: Record<ServiceName, ServiceProcess[]>;
  readonly #balancers = new Map<ServiceName, Balancer>();
  readonly #paid: string[] = [];
  readonly #programs: string[] = [];
  #shopToken = "";
  #world: World | undefined;
  #callers: Promise<unknown> | undefined;
  #isCalling = true;

  static async open(t: Test): Promise<RollingScene> {
    const receiver = await startWebhookReceiver();
    const pipeline = await startPipeline({
      env: {
        STAMPEDE_LOG_LEVEL: "warn",
        STAMPEDE_HTTP_ADAPTER: ADAPTERS[0],
        STAMPEDE_DRAIN_DELAY_MS: DRAIN_DELAY_MS,
        STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
        STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
      },
    });
    t.teardown(() => receiver.close());
    t.teardown(() => pipeline.stop());
    const start = (service: ServiceName, adapter: string) =>
      pipeline.start(service, { STAMPEDE_HTTP_ADAPTER: adapter });
    const [edge, ingest, platform, rewards, webhooks] = await Promise.all([
      start("edge", "node").then((second) => [pipeline.edge, second]),
      start("ingest", "node").then((second) => [pipeline.ingest, second]),
      ...(["platform", "rewards", "webhooks"] as const).map((service) =>
        Promise.all(ADAPTERS.map((adapter) => start(service, adapter))),
      ),
    ]);
    const slots = { edge, ingest, platform, rewards, webhooks } as Record<ServiceName, ServiceProcess[]>;
    const link = await PlatformLink.open(pipeline);
    t.teardown(() => link.close());
    const scene = new RollingScene(pipeline, link, slots);
    for (const service of ["edge", "platform"] as const) {
      const balancer = await Balancer.start(() => scene.#slots[service]);
      t.teardown(() => balancer.close());
      scene.#balancers.set(service, balancer);
    }
    t.teardown(() => scene.abandon());
    receiver.follow((request) => {
      const { events } = JSON.parse(request.body) as EventDelivery;
      const ids = events.map((event) => event.event_id);
      scene.#audit.receive(`${request.headers["webhook-id"]}`, request.body, ids);
      return answer(200, { after: delay(2).then(() => scene.#audit.accept(ids)) });
    });
    await scene.#furnish(receiver.url);
    return scene;
  }

  private constructor(pipeline: Pipeline, link: PlatformLink, slots: Record<ServiceName, ServiceProcess[]>) {
    this.pipeline = pipeline;
    this.#link = link;
    this.#slots = slots;
  }

  /** Repeated deliveries: the process that stopped had made them and not recorded them. */
  get repeated(): number {
    return this.#audit.repeated;
  }

  /** Answers to the load by status; attempts without an answer as `none`. */
  get statuses(): Readonly<Record<string, number>> {
    return this.#world?.statuses ?? {};
  }

  /**
   * Replaces the process in a slot by another one, on the same adapter; `first`: start the new one or stop
   * the old one.
   */
  async restart(service: ServiceName, slot: number, first: "start" | "stop"): Promise<void> {
    const env = { STAMPEDE_HTTP_ADAPTER: ADAPTERS[slot] };
    const old = this.#slots[service][slot] as ServiceProcess;
    const successor = first === "start" ? await this.pipeline.start(service, env) : undefined;
    const others = this.#slots[service].filter((process) => process !== old);
    // By now the balancer knows both; direct clients of the old one stay until it takes no connection.
    if (successor !== undefined) this.#slots[service].push(successor);
    const told = performance.now();
    const code = await old.stop();
    const drainMs = Math.round(performance.now() - told);
    this.exits.push({ service, code, drainMs, output: old.output().slice(-2_000) });
    const now = successor ?? (await this.pipeline.start(service, env));
    this.#slots[service] = slot === 0 ? [now, ...others] : [...others, now];
  }

  get world(): World {
    if (this.#world === undefined) throw new Error("nobody calls yet");
    return this.#world;
  }

  /** Single events and batches over three connections, three readers, two shops whose payments are reported. */
  async call(seed: number): Promise<void> {
    const { pipeline } = this;
    const callers = Array.from({ length: LANES }, (_, lane) => {
      const route = this.#route("edge", lane);
      const urls = { publisher: () => [route.url], platform: () => [] };
      const tokens = { publisher: pipeline.publisher.token, platform: "" };
      return new Caller(urls, tokens, route.agent, (error) => route.failed(error));
    });
    const site = siteOf(pipeline, (service) => this.#slots[service]);
    const load = { lanes: LANES, rate: RATE, eventsMax: EVENTS_MAX, members: MEMBERS };
    this.#world = await World.open(site, { seed, callers, ...load });
    const { members } = this.#world;
    await this.#giveCards(members);
    this.#world.begin();
    const readers = [0, 1, 2].map((way) => this.#read(this.#route("edge", way), members));
    const shops = [0, 1, 2].map((way) =>
      this.#sell(this.#route("edge", 0), this.#route("platform", way), members),
    );
    this.#callers = Promise.all([...readers, ...shops]);
    this.#callers.catch(() => {});
  }

  async stopCalling(): Promise<void> {
    this.#isCalling = false;
    await this.#callers;
    await this.#world?.end();
  }

  async abandon(): Promise<void> {
    this.#isCalling = false;
    await this.#world?.close();
    for (const route of this.routes) void route.close();
  }

  /** Waits until no more work can follow from the sent events, and everything is delivered. */
  async settles(): Promise<void> {
    await waitFor(() => isLoopAtRest(this.pipeline, this.#link), {
      deadlineMs: SETTLE_MS,
      message: "something is still under way",
    });
    await this.world.arrives(SETTLE_MS / 1_000);
    const expected = await this.#events();
    await waitFor(() => this.#audit.hasAccepted(expected), {
      deadlineMs: SETTLE_MS,
      message: "not all events are told",
    });
  }

  /** The faults that the webhook saw. */
  async webhookProblems(): Promise<string[]> {
    this.#audit.finish(await this.#events());
    return this.#audit.problems;
  }

  /** Purchases that were paid for and did not earn exactly one stamp. */
  async paidWithoutStamp(): Promise<string[]> {
    const rows = await this.pipeline.store<{ ref: string; count: number }[]>`
      select transaction_ref as ref, count(*)::int as count from qualifying_purchases
      where transaction_ref = any(${this.#paid}) group by ref`;
    const once = new Set(rows.filter(({ count }) => count === 1).map(({ ref }) => ref));
    return this.#paid.filter((ref) => !once.has(ref));
  }

  get paid(): number {
    return this.#paid.length;
  }

  async #furnish(webhookUrl: string): Promise<void> {
    const { pipeline } = this;
    const publisher = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const operator = new PlatformClient(this.#slots.platform[0]?.url, await pipeline.newPlatformToken());
    await publisher.call("webhook/create", { url: webhookUrl, events: EVENT_TYPES });
    const places = Array.from({ length: 10 }, (_, i) => `MID-${i + 1}`);
    await operator.call("retailer/upsert", { name: "Chain", merchant_ids: places });
    const shop = await operator.call("retailer/upsert", { name: "Shop", merchant_ids: [SHOP] });
    this.#shopToken = shop.token;
    const programs = [
      {
        qualifying_threshold: 3,
        rules: { merchant_ids: places, currency: "EUR", confirmation: "none", retroactive: true },
      },
      { qualifying_threshold: 4, rules: { merchant_ids: [SHOP], currency: "EUR", retroactive: true } },
    ];
    const reward_config = { type: "fixed-reward", amount: 300 };
    for (const [i, program] of programs.entries()) {
      const fields = { name: `program ${i}`, reward_config, display_content: DISPLAY_CONTENT };
      const { id } = await operator.call("loyalty-program/upsert", { ...fields, ...program });
      const isShown = async () => (await publisher.post("loyalty-program/get", { id })).status === 200;
      await waitFor(isShown, { message: "the publisher does not show a program" });
      this.#programs.push(id);
    }
  }

  async #giveCards(members: readonly string[]): Promise<void> {
    const route = "wallet.stamp-collection/create";
    for (const loyalty_program_id of this.#programs) {
      for (const member_id of members) {
        const body = { loyalty_program_id, member_id };
        succeeded(route, await this.world.caller.until("publisher", route, body));
      }
    }
  }

  /** 0: through the balancer; 1 and 2: straight to the process on that adapter. */
  #route(service: "edge" | "platform", way: number): Route {
    const processes = () => this.#slots[service];
    const straight = (slot: number) => processes()[slot]?.url as string;
    // A process that takes no connection is gone or about to be: any other one will do.
    const next = (url: string) =>
      (processes().find((process) => process.url !== url && process.child.exitCode === null)?.url ??
        url) as string;
    const route =
      way === 0
        ? new Route(`${service} through the balancer`, (this.#balancers.get(service) as Balancer).url)
        : new Route(`straight to ${service} (${ADAPTERS[way - 1]})`, straight(way - 1), next);
    this.routes.push(route);
    return route;
  }

  /** Resolves to the first answer; any other than 200 is a failure of the route. */
  async #ask(route: Route, what: string, post: () => Promise<RawAnswer>): Promise<RawAnswer> {
    for (;;) {
      try {
        const answered = await post();
        const key = `${what} ${answered.status}`;
        this.answers[key] = (this.answers[key] ?? 0) + 1;
        // 202: stored, and the outcome takes longer than 5 s, as on a machine with too much to do.
        if (answered.status !== 200 && answered.status !== 202) {
          route.failed(new Error(`${what} answered ${answered.status}: ${JSON.stringify(answered.body)}`));
        }
        return answered;
      } catch (error) {
        route.failed(error);
        await delay(20);
      }
    }
  }

  async #read(route: Route, members: readonly string[]): Promise<void> {
    const requests: ReadonlyArray<readonly [string, object]> = [
      ["transaction/list", { member_id: members[0] }],
      ["member/get", { id: members[0] }],
      ["wallet.cashback/list", { member_id: members[0] }],
    ];
    for (let i = 0; this.#isCalling; i++) {
      const [what, body] = requests[i % requests.length] as (typeof requests)[number];
      await this.#ask(route, what, () =>
        new PublisherClient(route.url, this.pipeline.publisher.token, route.agent).post(what, body),
      );
      await delay(CALL_EVERY_MS);
    }
  }

  /** Purchases, one at a time, and their payments. */
  async #sell(edge: Route, platform: Route, members: readonly string[]): Promise<void> {
    const unpaid: TransactionEvent[] = [];
    const paying = this.#pay(platform, unpaid);
    for (let i = 0; this.#isCalling; i++) {
      const event = makeEvent(members[i % members.length] as string, {
        auth_code: `S${this.routes.indexOf(platform)}x${i}`,
        merchant_id: SHOP,
        amount: 450,
        currency: "EUR",
      });
      const { token } = this.pipeline.publisher;
      const ingested = await this.#ask(edge, "transaction/ingest", () =>
        new PublisherClient(edge.url, token, edge.agent).ingest([event]),
      );
      this.world.book.sentElsewhere([event], ingested);
      unpaid.push(event);
      await delay(CALL_EVERY_MS);
    }
    await paying;
  }

  /**
   * Sends payments as their purchases come. In between it repeats the last one, which changes nothing: a
   * server may close a connection that is silent for longer than a drain waits, even under a request, and
   * cannot avoid that.
   */
  async #pay(route: Route, unpaid: TransactionEvent[]): Promise<void> {
    let last: TransactionEvent | undefined;
    while (this.#isCalling || unpaid.length > 0) {
      const event = unpaid.shift() ?? last;
      if (event !== undefined) {
        const payments = [paymentOf(event)];
        await this.#ask(route, "payment/ingest", () =>
          new PlatformClient(route.url, this.#shopToken, route.agent).post("payment/ingest", { payments }),
        );
        if (event !== last) this.#paid.push(event.external_id);
        last = event;
      }
      await delay(CALL_EVERY_MS);
    }
  }

  async #events(): Promise<string[]> {
    const rows = await this.pipeline.store<{ id: string }[]>`select id from events order by sequence`;
    return rows.map(({ id }) => encodeId("evt", id));
  }
}

/** The retailer's half of a purchase. Its software computes the same identifiers from the card data. */
function paymentOf(event: TransactionEvent): object {
  const { external_id, auth_code, network, bin, merchant_id, amount, currency, authed_at: paid_at } = event;
  const { six } = transactionIdentifiers({ authCode: auth_code, network, bin, merchantId: merchant_id });
  return { payment_id: `P-${external_id}`, identifiers: [six], paid_at, amount, currency };
}
