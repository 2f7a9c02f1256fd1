import type { Test } from "tap";
import { EVENT_TYPES, type EventDelivery } from "#contract";
import { SeededRandom } from "#domain";
import { verifyRewards } from "#publisher-db";
import {
  answer,
  isLoopAtRest,
  type NatsCluster,
  type Pipeline,
  PlatformClient,
  PlatformLink,
  PublisherClient,
  type RawAnswer,
  type ReceivedRequest,
  type ReceiverStep,
  type ServiceName,
  type ServiceProcess,
  type Severing,
  startNatsCluster,
  startPipeline,
  startWebhookReceiver,
  WebhookAudit,
  waitFor,
} from "#test-support";
import { Ledger } from "./ledger.ts";
import { type Load, startLoad } from "./load.ts";
import { type Recovery, RecoveryLog } from "./recovery.ts";
import { tellStampless } from "./stampless.ts";

const SERVICES = [
  "edge",
  "ingest",
  "platform",
  "rewards",
  "webhooks",
] as const satisfies readonly ServiceName[];
const MEMBERS = 12;
const LANES = 4;
const EVENTS_MAX = 20;
const STREAM_BYTES = String(32 * 1024 * 1024);
/** Far longer than recovery takes: the real time is measured. */
const RECOVERY_MS = 90_000;
/** The merchants of `startLoad`. */
const MERCHANTS = Array.from({ length: 50 }, (_, i) => `MID-${i + 1}`);

/**
 * Two processes of every service on a cluster of three NATS nodes, under load, and the faults that can strike
 * them.
 */
export class ClusterScene {
  readonly recoveries: Recovery[] = [];
  readonly cluster: NatsCluster;
  readonly #pipeline: Pipeline;
  readonly #services: Record<ServiceName, ServiceProcess[]>;
  readonly #link: PlatformLink;
  readonly #ledger = new Ledger();
  readonly log = new RecoveryLog();
  readonly #audit = new WebhookAudit("webhook");
  readonly #load: Load;
  readonly #random: SeededRandom;
  #outages = 0;

  static async open(t: Test, seed: number): Promise<ClusterScene> {
    const cluster = await startNatsCluster();
    t.teardown(() => cluster.remove());
    const env = {
      STAMPEDE_LOG_LEVEL: "warn",
      STAMPEDE_STREAM_REPLICAS: "3",
      STAMPEDE_STREAM_MAX_BYTES: STREAM_BYTES,
      STAMPEDE_LINK_MAX_BYTES: STREAM_BYTES,
      STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
      STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    };
    const pipeline = await startPipeline({ natsUrl: cluster.url, env });
    t.teardown(() => pipeline.stop());
    const [edge, ingest, platforms, rewards, webhooks] = await Promise.all([
      pipeline.start("edge"),
      pipeline.start("ingest"),
      Promise.all([pipeline.start("platform"), pipeline.start("platform")]),
      Promise.all([pipeline.start("rewards"), pipeline.start("rewards")]),
      Promise.all([pipeline.start("webhooks"), pipeline.start("webhooks")]),
    ]);
    const services = {
      edge: [pipeline.edge, edge],
      ingest: [pipeline.ingest, ingest],
      platform: platforms,
      rewards,
      webhooks,
    };
    const link = await PlatformLink.open(pipeline);
    t.teardown(() => link.close());
    const receiver = await startWebhookReceiver();
    t.teardown(() => receiver.close());
    const members = await furnish(pipeline, platforms[0], receiver.url);
    const scene = new ClusterScene({ cluster, pipeline, services, link, seed, members });
    t.teardown(() => scene.#load.abandon());
    receiver.follow((request) => scene.#answer(request));
    return scene;
  }

  private constructor(parts: {
    cluster: NatsCluster;
    pipeline: Pipeline;
    services: Record<ServiceName, ServiceProcess[]>;
    link: PlatformLink;
    seed: number;
    members: readonly string[];
  }) {
    this.cluster = parts.cluster;
    this.#pipeline = parts.pipeline;
    this.#services = parts.services;
    this.#link = parts.link;
    this.#random = new SeededRandom(parts.seed);
    this.#load = startLoad({
      ledger: this.#ledger,
      seed: parts.seed,
      lanes: LANES,
      eventsMax: EVENTS_MAX,
      members: parts.members,
      edges: () =>
        this.#services.edge.map((edge) => new PublisherClient(edge.url, this.#pipeline.publisher.token)),
      outages: () => this.#outages,
      observe: this.log.observe,
    });
  }

  /** How many answers there were, by status. */
  get statuses(): Readonly<Record<string, number>> {
    return this.#load.statuses;
  }

  get counts(): object {
    return { ...this.#ledger.counts, repeated: this.#audit.repeated };
  }

  /** The node that leads the first ingest partition. */
  async leader(): Promise<number> {
    const name = `${this.#pipeline.streamPrefix}INGEST_0`;
    const find = async () => {
      const node = await this.cluster.streamLeader(name);
      return node === undefined ? undefined : { node };
    };
    const { node } = await waitFor(find, { deadlineMs: RECOVERY_MS, message: `${name} has no leader` });
    return node;
  }

  /** Waits until this many more requests are answered. */
  async progress(answers: number): Promise<void> {
    const target = this.#load.answered + answers;
    await waitFor(() => this.#load.answered >= target, {
      deadlineMs: RECOVERY_MS,
      message: `no ${answers} answers; so far ${JSON.stringify(this.statuses)}`,
    });
  }

  /** kill -9 of a node, which stays away until requests are answered as before, and comes back. */
  async killNode(node: number): Promise<void> {
    await this.#during("node killed", () => this.cluster.kill(node));
    await this.#during("node started", () => this.cluster.start(node));
    await this.#allHealthy();
  }

  /** SIGTERM of a node, as an upgrade does it. */
  async restartNode(node: number): Promise<void> {
    await this.#during("node restarted", async () => {
      await this.cluster.stop(node);
      await this.cluster.start(node);
    });
    await this.#allHealthy();
  }

  async severNode(node: number, how: Severing, clients: boolean): Promise<void> {
    const kind = `node cut off (${how}, ${clients ? "clients too" : "clients stay"})`;
    await this.#during(kind, async () => this.cluster.sever(node, how, clients));
    await this.#during("node healed", async () => this.cluster.heal(node));
    await this.#allHealthy();
  }

  /** kill -9 of one of the two processes of a service, and another in its place. */
  async killService(name: (typeof SERVICES)[number]): Promise<void> {
    const at = this.#random.between(0, 1);
    await this.#during(`${name} killed`, async () => {
      await (this.#services[name][at] as ServiceProcess).kill();
      this.#services[name][at] = await this.#pipeline.start(name);
    });
  }

  /**
   * Two faults at once: a node is cut off from all others, and one process of every service is killed. Their
   * successors start while the streams elect their leaders; the node stays away until requests are answered
   * as before.
   */
  async severNodeAndKillServices(node: number): Promise<void> {
    await this.#during("node cut off, one of every service killed", async () => {
      this.cluster.sever(node, "refuse", true);
      await Promise.all(
        SERVICES.map(async (name) => {
          const at = this.#random.between(0, 1);
          await (this.#services[name][at] as ServiceProcess).kill();
          this.#services[name][at] = await this.#pipeline.start(name);
        }),
      );
    });
    await this.#during("node healed", async () => this.cluster.heal(node));
    await this.#allHealthy();
  }

  get serviceNames(): readonly (typeof SERVICES)[number][] {
    return SERVICES;
  }

  /** Ends the load, and resolves once no more work can follow from the accepted requests. */
  async settles(): Promise<void> {
    await this.#load.stop();
    await waitFor(() => isLoopAtRest(this.#pipeline, this.#link), {
      deadlineMs: RECOVERY_MS,
      message: "not all that was accepted is handled",
    });
    const expected = await this.#events();
    await waitFor(() => this.#audit.hasAccepted(expected), {
      deadlineMs: RECOVERY_MS,
      message: "the webhook was not told of every event",
    });
  }

  /** All disagreements between the accepted events and the stored state. */
  async problems(): Promise<object> {
    const { store, publisher } = this.#pipeline;
    const expected = await this.#events();
    this.#audit.finish(expected);
    const { lagging, faults } = await verifyRewards(store);
    const stampless = await tellStampless(this.#pipeline, this.#link);
    const [{ twice }] = await store<[{ twice: number }]>`
      select count(*)::int - count(distinct transaction_ref)::int as twice from qualifying_purchases`;
    return {
      ledger: await this.#ledger.audit(store, publisher.organisationId),
      webhook: this.#audit.problems,
      verify: { lagging, faults },
      stampless,
      twice,
      died: this.#died(),
    };
  }

  #died(): string[] {
    return SERVICES.flatMap((name) => this.#services[name])
      .filter(({ child }) => child.exitCode !== null || child.signalCode !== null)
      .map((service) => service.output().slice(-2_000));
  }

  /** The output of the processes, to see what they went through. */
  output(): string {
    return SERVICES.map((name) =>
      this.#services[name].map((one) => `## ${name}\n${one.output()}`).join("\n"),
    ).join("\n");
  }

  /**
   * Strikes while requests are answered, waits until they are answered as before, and keeps the time that
   * this took.
   */
  async #during(kind: string, strike: () => Promise<void>): Promise<void> {
    this.#outages++;
    const at = performance.now();
    await strike();
    const recovery = await waitFor(() => this.log.measure(kind, at, performance.now()), {
      deadlineMs: RECOVERY_MS,
      message: `${kind}: requests are not answered as before; so far ${JSON.stringify(this.statuses)}`,
    });
    this.recoveries.push(recovery);
    this.#outages++;
  }

  async #allHealthy(): Promise<void> {
    for (const node of [0, 1, 2]) await this.cluster.healthy(node);
  }

  #answer(request: ReceivedRequest): ReceiverStep {
    const id = `${request.headers["webhook-id"]}`;
    const { events } = JSON.parse(request.body) as EventDelivery;
    const ids = events.map((event) => event.event_id);
    this.#audit.receive(id, request.body, ids);
    this.#audit.accept(ids);
    return answer(200);
  }

  /** The events that the webhook must get, in order. */
  async #events(): Promise<string[]> {
    const rows = await this.#pipeline.store<{ body: string }[]>`select body from events order by sequence`;
    return rows.map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id);
  }
}

/** A program that gives a stamp for every purchase of the load, members with cards, a webhook for all of it. */
async function furnish(pipeline: Pipeline, platform: ServiceProcess, receiverUrl: string): Promise<string[]> {
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const operator = new PlatformClient(platform.url, await pipeline.newPlatformToken());
  await must(operator.post("retailer/upsert", { name: "All of them", merchant_ids: MERCHANTS }));
  const program = await must(
    operator.post("loyalty-program/upsert", {
      name: "Every third",
      qualifying_threshold: 3,
      reward_config: { type: "fixed-reward", amount: 300 },
      rules: { merchant_ids: MERCHANTS, confirmation: "none", currency: "EUR", retroactive: true },
      display_content: {
        title: "T",
        image: "https://a.example/i",
        summary: "S",
        description: "D",
        terms: "C",
      },
    }),
  );
  const isShown = async () => (await client.post("loyalty-program/get", { id: program.id })).status === 200;
  await waitFor(isShown, { message: "the program does not show" });
  const members = await client.enrol(...Array.from({ length: MEMBERS }, (_, i) => `member ${i}`));
  for (const member_id of members) {
    await must(client.post("wallet.stamp-collection/create", { loyalty_program_id: program.id, member_id }));
  }
  await must(client.post("webhook/create", { url: `${receiverUrl}/all`, events: EVENT_TYPES }));
  return members;
}

async function must(answered: Promise<RawAnswer>): Promise<RawAnswer["body"]> {
  const { status, body } = await answered;
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
