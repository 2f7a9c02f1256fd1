import type { Test } from "tap";
import { SeededRandom } from "#domain";
import {
  endedProcesses,
  isLoopAtRest,
  type NatsCluster,
  type Pipeline,
  PlatformLink,
  type ServiceName,
  type ServiceProcess,
  type Severing,
  startNatsCluster,
  startPipeline,
  waitFor,
} from "#test-support";
import { Spans, siteOf, World } from "#test-world";
import { measureRecovery, type Recovery } from "./recovery.ts";

const SERVICES = [
  "edge",
  "ingest",
  "platform",
  "rewards",
  "webhooks",
] as const satisfies readonly ServiceName[];
const LANES = 4;
const RATE = 400;
const EVENTS_MAX = 20;
const STREAM_BYTES = String(32 * 1024 * 1024);
/** Far longer than recovery takes: the real time is measured. */
const RECOVERY_MS = 90_000;
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
  readonly #world: World;
  readonly #outages: Spans;
  readonly #random: SeededRandom;

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
    const outages = new Spans();
    const world = await World.open(
      siteOf(pipeline, (service) => services[service], await pipeline.newPlatformToken()),
      {
        seed,
        lanes: LANES,
        rate: RATE,
        eventsMax: EVENTS_MAX,
        touchesNats: (from, until) => outages.touch(from, until),
      },
    );
    t.teardown(() => world.close());
    world.begin();
    return new ClusterScene({ cluster, pipeline, services, link, seed, world, outages });
  }

  private constructor(parts: {
    cluster: NatsCluster;
    pipeline: Pipeline;
    services: Record<ServiceName, ServiceProcess[]>;
    link: PlatformLink;
    seed: number;
    world: World;
    outages: Spans;
  }) {
    this.cluster = parts.cluster;
    this.#pipeline = parts.pipeline;
    this.#services = parts.services;
    this.#link = parts.link;
    this.#random = new SeededRandom(parts.seed);
    this.#world = parts.world;
    this.#outages = parts.outages;
  }

  /** How many answers there were, by status. */
  get statuses(): Readonly<Record<string, number>> {
    return this.#world.statuses;
  }

  get counts(): object {
    const { book, shopping } = this.#world;
    return { answers: book.answers, transactions: book.entries.size, webhooks: shopping?.desk.counts };
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
  progress(answers: number): Promise<void> {
    return this.#world.progress(answers, RECOVERY_MS);
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
    await this.#world.end();
    await waitFor(() => isLoopAtRest(this.#pipeline, this.#link), {
      deadlineMs: RECOVERY_MS,
      message: "not all that was accepted is handled",
    });
    await this.#world.arrives(RECOVERY_MS / 1_000);
  }

  /** All disagreements between the answers and what is stored, told and shown. */
  async problems(): Promise<string[]> {
    return [...(await this.#world.faults()), ...endedProcesses(Object.values(this.#services).flat())];
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
    await this.#outages.during(async () => {
      const at = Date.now();
      await strike();
      const recovery = await waitFor(
        () => measureRecovery(kind, this.#world.book.attempts(), at, Date.now()),
        {
          deadlineMs: RECOVERY_MS,
          message: `${kind}: requests are not answered as before; so far ${JSON.stringify(this.statuses)}`,
        },
      );
      this.recoveries.push(recovery);
    });
  }

  async #allHealthy(): Promise<void> {
    for (const node of [0, 1, 2]) await this.cluster.healthy(node);
  }
}
