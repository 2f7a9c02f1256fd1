import type { ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Test } from "tap";
import { createTokenSecret, hashTokenSecret } from "#domain";
import { createToken } from "#publisher-db";
import {
  DISPLAY_CONTENT,
  endedProcesses,
  type Pipeline,
  PlatformClient,
  type Publisher,
  PublisherClient,
  privateServers,
  readMetric,
  type ServiceProcess,
  startPipeline,
  startWebhookReceiver,
  waitFor,
} from "#test-support";
import { drained } from "../drained.ts";
import { type Attack, type AttackSize, HOSTILE_MERCHANT, type Hostile } from "./attack.ts";
import { Attacker, hostileAddress } from "./attacker.ts";
import { EVERY_TYPE } from "./hostile-requests.ts";
import type { Measured } from "./measured.ts";
import { QUIET_ADDRESS, QuietOne, type Seen } from "./quiet-one.ts";

/** Long enough for the remains of an attack: backlogs, and attempts that run out. */
const RECOVERY_MS = 180_000;
const SAMPLE_MS = 100;
/** The longest line of a log or a metric: a caller that causes many long ones would fill the disk. */
const LINE_CHARACTERS = 4_000;

const PROGRAM = { name: "P", qualifying_threshold: 3, reward_config: { type: "fixed-reward", amount: 100 } };
const DEAL = { name: "D", reward_config: { type: "fixed", amount: 100, currency: "EUR" } };

export interface SceneOptions {
  readonly size: AttackSize;
  /** How long each attack lasts while the quiet organisation is watched. */
  readonly rounds: number;
  readonly everyMs: number;
  /** Additional environment of every service. */
  readonly env?: NodeJS.ProcessEnv;
}

/** An installation with one process of each service, a quiet organisation, and room for a hostile one. */
export class NeighbourScene {
  readonly pipeline: Pipeline;
  readonly #options: SceneOptions;
  readonly #quiet: QuietOne;
  readonly #publisher: Publisher;
  readonly #watched: readonly ServiceProcess[];
  readonly #world: Pick<Hostile, "platform" | "program" | "deal" | "retailerToken">;

  static async open(t: Test, options: SceneOptions): Promise<NeighbourScene> {
    const servers = await privateServers();
    t.teardown(() => servers.remove());
    const pipeline = await startPipeline({
      databaseUrl: await servers.postgres.databaseUrl(),
      natsUrl: servers.nats.url,
      env: {
        STAMPEDE_LOG_LEVEL: "info",
        STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
        STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
        STAMPEDE_WEBHOOK_SLOTS: "20",
        STAMPEDE_TRUSTED_PROXIES: "127.0.0.0/8",
        STAMPEDE_STREAM_MAX_BYTES: String(256 * 1024 * 1024),
        STAMPEDE_LINK_MAX_BYTES: String(256 * 1024 * 1024),
        ...options.env,
      },
    });
    t.teardown(() => pipeline.stop());
    const [platform, webhooks] = await Promise.all([
      pipeline.start("platform"),
      pipeline.start("webhooks"),
      pipeline.start("rewards"),
    ]);
    const receiver = await startWebhookReceiver();
    t.teardown(() => receiver.close());
    const edge = pipeline.edge.url as string;
    const { publisher } = pipeline;
    const client = new PublisherClient(edge, publisher.token);
    const base = await client.call("member-base/create", { name: "quiet" });
    const members = await client.call("member/bulk-upsert", {
      member_base_id: base.id,
      members: [{ ref: "quiet" }],
    });
    await client.call("webhook/create", { url: `${receiver.url}/`, events: EVERY_TYPE });
    const operator = new PlatformClient(platform.url, await pipeline.newPlatformToken());
    const retailer = await operator.call("retailer/upsert", { name: "quiet", merchant_ids: ["MID-1"] });
    const other = await operator.call("retailer/upsert", {
      name: "hostile",
      merchant_ids: [HOSTILE_MERCHANT],
    });
    const quiet = new QuietOne({
      edge,
      platform: platform.url as string,
      retailerToken: retailer.token,
      memberbase: base.id,
      member: members[0],
      isMeasured: options.size === "full",
    });
    receiver.follow((request) => {
      quiet.receive(request);
      return { kind: "answer", status: 200 };
    });
    const rules = { merchant_ids: [HOSTILE_MERCHANT] };
    const program = await operator.call("loyalty-program/upsert", {
      ...PROGRAM,
      rules,
      display_content: DISPLAY_CONTENT,
    });
    const deal = await operator.call("deal/upsert", { ...DEAL, rules, display_content: DISPLAY_CONTENT });
    const shown = async () => (await client.post("deal/get", { id: deal.id })).status === 200;
    await waitFor(shown, { message: "the publisher does not show the deal" });
    const world = {
      platform: platform.url as string,
      program: program.id,
      deal: deal.id,
      retailerToken: other.token,
    };
    return new NeighbourScene({ pipeline, options, quiet, world, watched: [pipeline.edge, webhooks] });
  }

  private constructor(parts: {
    pipeline: Pipeline;
    options: SceneOptions;
    quiet: QuietOne;
    world: Pick<Hostile, "platform" | "program" | "deal" | "retailerToken">;
    watched: readonly ServiceProcess[];
  }) {
    this.pipeline = parts.pipeline;
    this.#options = parts.options;
    this.#quiet = parts.quiet;
    this.#publisher = parts.pipeline.publisher;
    this.#watched = parts.watched;
    this.#world = parts.world;
  }

  /** Measures the quiet organisation without an attack: a line of the table, and the warm-up of all others. */
  async undisturbed(): Promise<Measured> {
    return this.#watch("none", this.#publisher.token);
  }

  /** Measures it during an attack, and then removes all that the attack has left. */
  async during(attack: Attack): Promise<Measured> {
    const attacker = new Attacker();
    let hostile: Hostile | undefined;
    try {
      hostile = await this.#makeHostile(attack);
      const token = attack.sharesAddress ? await this.#newToken() : this.#publisher.token;
      await attacker.begin({ name: attack.name, hostile });
      return await this.#watch(attack.name, token);
    } finally {
      attacker.stop();
      if (hostile !== undefined) await this.#recovered(hostile);
    }
  }

  /** Processes that an attack has ended. */
  died(): string[] {
    return endedProcesses(this.pipeline.processes);
  }

  /**
   * Lines of logs and metrics that hold this text, which a caller has sent, or that are longer than a line
   * should be.
   */
  async traces(text: string): Promise<string[]> {
    const told = await Promise.all(
      [...this.pipeline.processes].map(async (service) => {
        const { body } = await service.ops("/metrics");
        return [service.output(), body];
      }),
    );
    const lines = told.flat().flatMap((output) => output.split("\n"));
    return lines.filter((line) => line.includes(text) || line.length > LINE_CHARACTERS);
  }

  async #makeHostile({ name, sharesAddress, prepare }: Attack): Promise<Hostile> {
    const { edge, store } = this.pipeline;
    const { token, organisationId } = await this.pipeline.newPublisher();
    const client = new PublisherClient(edge.url, token);
    const base = await client.call("member-base/create", { name: "hostile" });
    const members = await client.call("member/bulk-upsert", {
      member_base_id: base.id,
      members: [{ ref: "hostile" }],
    });
    const unprepared: Hostile = {
      ...this.#world,
      size: this.#options.size,
      edge: edge.url as string,
      token,
      organisationId,
      memberbase: base.id,
      member: members[0],
      address: sharesAddress ? QUIET_ADDRESS : hostileAddress(name),
      prepared: [],
    };
    return { ...unprepared, prepared: (await prepare?.(store, unprepared)) ?? [] };
  }

  async #newToken(): Promise<string> {
    const token = createTokenSecret(randomBytes(32));
    await createToken(this.pipeline.store, {
      id: randomUUID(),
      organisationId: this.#publisher.organisationId,
      access: "write",
      description: "new",
      secretHash: hashTokenSecret(token),
    });
    return token;
  }

  async #watch(attack: string, token: string): Promise<Measured> {
    let peakBytes = 0;
    const look = () => {
      for (const { child } of this.#watched) peakBytes = Math.max(peakBytes, residentBytes(child));
    };
    const timer = setInterval(look, SAMPLE_MS);
    let seen: Seen;
    try {
      seen = await this.#quiet.act(token, this.#options);
    } finally {
      clearInterval(timer);
    }
    return { attack, seen, peakMiB: Math.round(peakBytes / 1024 / 1024) };
  }

  /** Waits until the installation is as before the attack. */
  async #recovered({ organisationId }: Hostile): Promise<void> {
    const { store, edge } = this.pipeline;
    await store`delete from webhooks where organisation_id = ${organisationId}`;
    await drained(this.pipeline, RECOVERY_MS);
    const isQuiet = async () => (await readMetric(edge, "stampede_http_buffered_bytes")) === 0;
    await waitFor(isQuiet, { deadlineMs: RECOVERY_MS, message: "bodies are still arriving" });
    const client = new PublisherClient(edge.url, this.#publisher.token);
    const isAnswered = async () => (await client.post("member-base/list", {})).status === 200;
    await waitFor(isAnswered, { deadlineMs: RECOVERY_MS, message: "the quiet one is not answered" });
  }
}

function residentBytes({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0; // the process has ended, or this is not Linux
  }
}
