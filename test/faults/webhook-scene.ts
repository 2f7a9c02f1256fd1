import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Test } from "tap";
import { uuidv7 } from "uuidv7";
import type { EventDelivery } from "#contract";
import { encodeId, SeededRandom } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { type StoredEvent, writeEvents } from "#publisher-db";
import {
  answer,
  type Pipeline,
  type Publisher,
  PublisherClient,
  privateServers,
  type ReceivedRequest,
  type ReceiverStep,
  type ServiceProcess,
  startPipeline,
  startTcpProxy,
  startWebhookReceiver,
  type TcpProxy,
  WebhookAudit,
  waitFor,
} from "#test-support";

export const FAULTS = ["after-post", "one-of-two", "cut", "freeze", "postgres", "nats"] as const;
export type Fault = (typeof FAULTS)[number];

const TYPES = ["cashback.created", "cashback.cleared", "qualifying_purchase.created"] as const;
/** The types of each webhook, and its publisher. */
const WEBHOOKS = [
  { publisher: 0, types: TYPES },
  { publisher: 0, types: TYPES },
  { publisher: 0, types: ["cashback.cleared"] },
  { publisher: 1, types: TYPES },
  { publisher: 1, types: ["qualifying_purchase.created", "cashback.created"] },
] as const;
/** Short, long, and longer than a lease: then another process takes over its webhooks. */
const FROZEN_MS = [300, 3_000, 12_000];
const AWAY_MS = { least: 0, most: 800 };
/** A lease, the wait after a failure or two, a request that is never answered, and a slow machine. */
export const RECOVERY_MS = 60_000;

/** A dispatcher that talks to Postgres through its own proxy. */
interface Dispatcher {
  readonly service: ServiceProcess;
  readonly proxy: TcpProxy;
}

/** Webhooks, two dispatchers, writers of events, and faults for each of them. */
export class WebhookScene {
  readonly counts = { events: 0, requests: 0, repeated: 0, failed: 0 };
  readonly #pipeline: Pipeline;
  readonly #servers: Awaited<ReturnType<typeof privateServers>>;
  readonly #store: Store;
  readonly #seed: number;
  readonly #random: SeededRandom;
  readonly #publishers: readonly Publisher[];
  readonly #proxies: TcpProxy[];
  readonly #audits = WEBHOOKS.map((_, i) => new WebhookAudit(`webhook ${i}`));
  readonly #failed = new Set<string>();
  #dispatchers: Dispatcher[] = [];
  #isWriting = true;
  /** Called with the next request; the answer waits for its result: whether it is a 200. */
  #onRequest: (() => Promise<boolean>) | undefined;

  static async open(t: Test, seed: number): Promise<WebhookScene> {
    const servers = await privateServers();
    t.teardown(() => servers.remove());
    const databaseUrl = await servers.postgres.databaseUrl();
    const env = {
      STAMPEDE_LOG_LEVEL: "warn",
      STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
      STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    };
    // Ended after the pipeline, whose processes give up their webhooks through them.
    const proxies: TcpProxy[] = [];
    t.teardown(() => Promise.all(proxies.map((proxy) => proxy.close())));
    const pipeline = await startPipeline({ databaseUrl, natsUrl: servers.nats.url, env });
    t.teardown(() => pipeline.stop());
    const store = connectStore({ url: databaseUrl, max: 4, applicationName: "test" });
    t.teardown(() => closeStore(store));
    const receiver = await startWebhookReceiver();
    t.teardown(() => receiver.close());
    const publishers = [pipeline.publisher, await pipeline.newPublisher()];
    const scene = new WebhookScene({ pipeline, servers, store, seed, publishers, proxies });
    receiver.follow((request) => scene.#answer(request));
    for (const [i, { publisher, types }] of WEBHOOKS.entries()) {
      const client = new PublisherClient(pipeline.edge.url, publishers[publisher]?.token);
      const { status, body } = await client.post("webhook/create", {
        url: `${receiver.url}/${i}`,
        events: types,
      });
      if (status !== 200) throw new Error(`webhook/create: ${status} ${JSON.stringify(body)}`);
    }
    scene.#dispatchers = [await scene.#start(), await scene.#start()];
    return scene;
  }

  private constructor(parts: {
    pipeline: Pipeline;
    servers: Awaited<ReturnType<typeof privateServers>>;
    store: Store;
    seed: number;
    publishers: readonly Publisher[];
    proxies: TcpProxy[];
  }) {
    this.#pipeline = parts.pipeline;
    this.#servers = parts.servers;
    this.#store = parts.store;
    this.#seed = parts.seed;
    this.#random = new SeededRandom(parts.seed);
    this.#publishers = parts.publishers;
    this.#proxies = parts.proxies;
  }

  async strike(fault: Fault): Promise<void> {
    const random = this.#random;
    const at = random.between(0, 1);
    const dispatcher = this.#dispatchers[at] as Dispatcher;
    const awayMs = random.between(AWAY_MS.least, AWAY_MS.most);
    switch (fault) {
      case "after-post":
        await this.#killAfterPost();
        return;
      case "one-of-two":
        await dispatcher.service.kill();
        // Its webhooks move to the other dispatcher, which gets no message about it.
        await this.whenAllAreTold("one dispatcher is left");
        this.#dispatchers[at] = await this.#start();
        return;
      case "cut":
        for (const { proxy } of this.#dispatchers) {
          proxy.cut();
          await delay(awayMs / 4);
          proxy.cut();
        }
        return;
      case "freeze":
        if (random.chance(0.5)) dispatcher.proxy.freezeClient();
        else dispatcher.proxy.freezeServer();
        await delay(random.pick(FROZEN_MS));
        dispatcher.proxy.thaw();
        return;
      case "postgres":
        await this.#servers.postgres.kill();
        await delay(awayMs);
        await this.#servers.postgres.start();
        return;
      case "nats":
        await this.#servers.nats.kill();
        // No message announces new events: the dispatchers look for them.
        await this.whenAllAreTold("NATS is away");
        await this.#servers.nats.start();
    }
  }

  /** Kills both at once, when a request has arrived and is not answered: neither can record anything of it. */
  async #killAfterPost(): Promise<void> {
    const isAccepted = this.#random.chance(0.5);
    const killed = new Promise<void>((resolve, reject) => {
      this.#onRequest = async () => {
        const killing = Promise.all(this.#dispatchers.map(({ service }) => service.kill()));
        killing.then(() => resolve(), reject);
        await killing;
        return isAccepted;
      };
    });
    await killed;
    this.#dispatchers = [await this.#start(), await this.#start()];
  }

  async #start(): Promise<Dispatcher> {
    const url = new URL(this.#pipeline.databaseUrl);
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    this.#proxies.push(proxy);
    url.port = String(proxy.port);
    const service = await this.#pipeline.start("webhooks", { DATABASE_URL: url.href });
    return { service, proxy };
  }

  /** Two writers, some of whose transactions stay open for a while or are rolled back, until `stopWriting`. */
  write(): Promise<unknown> {
    return Promise.all([0, 1].map((writer) => this.#writeOn(new SeededRandom(this.#seed + 1 + writer))));
  }

  async stopWriting(writing: Promise<unknown>): Promise<void> {
    this.#isWriting = false;
    await writing;
  }

  async #writeOn(random: SeededRandom): Promise<void> {
    const make = () =>
      Array.from({ length: random.between(0, 30) }, () =>
        makeStoredEvent(random.pick(this.#publishers).organisationId, random.pick(TYPES)),
      );
    while (this.#isWriting) {
      await this.#store
        .begin(async (sql) => {
          await writeEvents(sql, make());
          await delay(random.between(0, 40));
          await writeEvents(sql, make());
          if (random.chance(0.1)) throw new Error("rolled back on purpose");
        })
        // Or Postgres is away. At the end the table shows what was committed.
        .catch(() => {});
      await delay(random.between(5, 60));
    }
  }

  /**
   * Decides whether a request is accepted, and how it fails if not: only in ways after which it comes again
   * soon.
   */
  #answer(request: ReceivedRequest): ReceiverStep {
    const audit = this.#audits[Number(request.path.slice(1))] as WebhookAudit;
    const id = `${request.headers["webhook-id"]}`;
    const { events } = JSON.parse(request.body) as EventDelivery;
    const ids = events.map((event) => event.event_id);
    audit.receive(id, request.body, ids);
    this.counts.requests++;
    const onRequest = this.#onRequest;
    if (onRequest !== undefined) {
      this.#onRequest = undefined;
      // The other end of the connection is dead by then: it is unknown whether the answer arrived.
      const done = onRequest().then((isAccepted) => isAccepted && audit.accept(ids));
      return answer(503, { after: done });
    }
    const random = this.#random;
    if (random.chance(0.9)) {
      const pause = delay(random.chance(0.1) ? random.between(1, 300) : 0);
      return answer(200, { after: pause.then(() => audit.accept(ids)) });
    }
    this.counts.failed++;
    // After a second failure of one delivery, without a `retry-after`, the next attempt would come only after
    // half a minute.
    const isFirst = !this.#failed.has(id);
    this.#failed.add(id);
    if (!isFirst || random.chance(0.7)) {
      const inSeconds = answer(503, { headers: { "retry-after": "1" } });
      const date = new Date(Date.now() + 2_000).toUTCString();
      return random.pick([inSeconds, answer(429, { headers: { "retry-after": date } })]);
    }
    const failure: ReceiverStep = random.pick([
      { kind: "reset" },
      { kind: "cut", status: 200 },
      { kind: "half_close" },
      { kind: "garbage" },
    ]);
    // The head of a 2xx counts as success, if it arrives before the reset.
    if (failure.kind === "cut") audit.accept(ids);
    return failure;
  }

  /** All events written so far. */
  async whenAllAreTold(when: string): Promise<void> {
    const expected = await this.#expected();
    const isTold = () => this.#audits.every((audit, i) => audit.hasAccepted(expected[i] as string[]));
    await waitFor(isTold, { deadlineMs: RECOVERY_MS, message: `${when}, and not all webhooks are told` });
  }

  /** Resolves once no work is left. @throws Error that names the remaining work */
  async settles(): Promise<void> {
    let left: object[] = [];
    const isAtRest = async () => {
      left = await this.#store`
        select q.webhook_id, q.due_at, q.owner, q.lease_until, q.cursor, q.announced, q.last_place, q.done_place,
               d.id, d.place, d.part, d.state, d.failures, d.error_class, d.next_attempt_at
        from webhook_queues q left join webhook_deliveries d on d.webhook_id = q.webhook_id and d.state not in ('delivered', 'split')
        where q.due_at is not null or d.id is not null
        limit 5`;
      return left.length === 0;
    };
    await waitFor(isAtRest, { deadlineMs: RECOVERY_MS, message: "something is left to do" }).catch(
      (error) => {
        throw new Error(`${error.message}: ${JSON.stringify(left)}`);
      },
    );
  }

  async problems(): Promise<string[]> {
    const expected = await this.#expected();
    for (const [i, audit] of this.#audits.entries()) audit.finish(expected[i] as string[]);
    this.counts.events = expected.reduce((sum, events) => sum + events.length, 0);
    this.counts.repeated = this.#audits.reduce((sum, { repeated }) => sum + repeated, 0);
    return this.#audits.flatMap(({ problems }) => problems);
  }

  died(): string[] {
    return this.#dispatchers
      .filter(({ service: { child } }) => child.exitCode !== null || child.signalCode !== null)
      .map(({ service }) => service.output().slice(-2_000));
  }

  /** The events of each webhook, in order. */
  async #expected(): Promise<string[][]> {
    const rows = await this.#store<{ id: string; organisationId: string; type: string }[]>`
      select id, organisation_id as "organisationId", type from events order by sequence`;
    return WEBHOOKS.map(({ publisher, types }) => {
      const wanted: readonly string[] = types;
      const { organisationId } = this.#publishers[publisher] as Publisher;
      return rows
        .filter((row) => row.organisationId === organisationId && wanted.includes(row.type))
        .map(({ id }) => encodeId("evt", id));
    });
  }
}

function makeStoredEvent(organisationId: string, type: string): StoredEvent {
  const id = uuidv7();
  // Dated now: old events are removed.
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ event_id: encodeId("evt", id), type, timestamp });
  return {
    id,
    organisationId,
    type,
    at: timestamp,
    transactionId: randomUUID(),
    body,
  };
}
