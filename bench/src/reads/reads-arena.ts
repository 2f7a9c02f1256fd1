import { runJob } from "../run-job.ts";
import { type Servers, startServers } from "../servers.ts";
import { startPeer } from "../subjects/peer.ts";
import { startStampede } from "../subjects/stampede.ts";
import type { Subject } from "../subjects/subject.ts";
import { watchUsage } from "../usage.ts";
import { createWorld } from "../world.ts";
import type { ReadContender, ReadsOptions } from "./options.ts";
import type { ReadJob, ReadResult } from "./read-job.ts";
import type { ReadRun } from "./results.ts";
import { fillStored, type StoredSpec } from "./stored.ts";

/** Nothing but reads happens in it, so both contenders have the same one. */
const DATABASE = "bench_reads";

/** Servers, the records, and the load: what the measurement is made of. */
export class ReadsArena {
  readonly options: ReadsOptions;
  readonly servers: Servers;
  readonly spec: StoredSpec;
  readonly say: (text: string) => void;

  static async open(options: ReadsOptions, say: (text: string) => void): Promise<ReadsArena> {
    const servers = await startServers(options.dir);
    try {
      const { seed, members, transactions } = options;
      const spec = { seed, members, transactions };
      say(`storing ${members} members and ${transactions} transactions`);
      await servers.execute("stampede", `create database ${DATABASE}`);
      await fillStored(servers.databaseUrl(DATABASE), spec, createWorld(seed, members));
      await servers.execute(DATABASE, "checkpoint");
      return new ReadsArena(options, servers, spec, say);
    } catch (error) {
      await servers.stop();
      throw error;
    }
  }

  private constructor(
    options: ReadsOptions,
    servers: Servers,
    spec: StoredSpec,
    say: (text: string) => void,
  ) {
    this.options = options;
    this.servers = servers;
    this.spec = spec;
    this.say = say;
  }

  /** @param pool connections of the peer to Postgres; Stampede has its own setting */
  start(contender: ReadContender, pool: number): Promise<Subject> {
    const where = { servers: this.servers, database: DATABASE, profileDir: this.options.profileDir };
    return contender === "stampede"
      ? startStampede({ ...where, edgeOnly: true })
      : startPeer({ ...where, peer: "fastify-reads", connections: pool });
  }

  async load(
    subject: Subject,
    shape: Pick<ReadJob, "route" | "connections" | "seconds" | "warmUpSeconds">,
  ): Promise<ReadRun> {
    const job: ReadJob = { spec: this.spec, url: subject.url, ...shape };
    return watchUsage(subject, () => runJob<ReadResult>("./reads/read-load-main.js", job));
  }

  async stop(): Promise<void> {
    await this.servers.stop();
  }
}
