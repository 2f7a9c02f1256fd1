import { BackendWatch } from "../kit/backend-watch.ts";
import type { Setting } from "../kit/benchmark.ts";
import { runJob } from "../kit/processes.ts";
import type { Servers } from "../kit/servers.ts";
import type { Subject } from "../kit/subjects.ts";
import { type Usage, watchUsage } from "../kit/usage.ts";
import { waitUntil } from "../kit/wait-until.ts";
import { findWrk } from "../kit/wrk.ts";
import type { CeilingJob, CeilingResult } from "./ceiling.ts";
import type { ClientJob } from "./client-load.ts";
import type { ClosedLoopJob, LoadResult, OpenLoopJob } from "./load.ts";
import type { LoadGenerator } from "./options.ts";
import type { Measured } from "./tally.ts";
import { type Evidence, type Verdict, verify } from "./verify.ts";
import type { WorkloadSpec } from "./workload.ts";
import { createWorld, fillDatabase, type World } from "./world.ts";
import type { WrkJob } from "./wrk-load.ts";

/** A database, with everything that was sent to its subject. */
export interface Database {
  readonly name: string;
  readonly url: string;
  readonly runs: Evidence[];
}

/** One measured run of load. */
export type RunResult = Omit<LoadResult, "fates" | "counted"> & { readonly usage: Usage };

interface LoadShape {
  readonly size: number;
  /** The rate for which there must be enough requests. */
  readonly expectedPerSecond: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly async?: boolean;
  /**
   * Equal numbers mean equal transactions, for every contender. By default the next number of this database.
   */
  readonly run?: number;
}

/** This many times as many requests as expected are made: a run that uses them up is cut short, not wrong. */
const SPARE = 1.3;
/** The most bytes of requests that a load process holds; an event has some 330 bytes. */
const EVENTS_MAX = 3_000_000;
const OPEN_LOOP_LANES = 64;
const TEMPLATE = "bench_template";

/**
 * The first number of measured runs; those of the attempts before are lower, so that ids keep rising. Two
 * contenders' repetitions with one number send the same transactions, and the same bytes if they have equally
 * many connections.
 */
export const FIRST_RUN = { repetitions: 20, latency: 60, wrk: 80, client: 100 } as const;

/**
 * Threads of wrk. A request costs it some tens of microseconds: one is enough, and a second would wake up for
 * half of the answers.
 */
const WRK_THREADS = 1;
/** The same patience as autocannon's. */
const WRK_GRACE_SECONDS = 30;

/** The program of each kind of load. */
const MAINS = {
  closed: "./load.js",
  open: "./load.js",
  wrk: "./wrk-load.js",
  client: "./client-load.js",
} as const;

/** The benchmark's options for the load. */
interface ArenaOptions {
  readonly seed: number;
  readonly members: number;
  /** Seconds of each measured run. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Share of the usual amount of requests to prepare. */
  readonly abundance: number;
}

/** Servers, databases and load, from which the parts of the benchmark are built. */
export class Arena<Options extends ArenaOptions = ArenaOptions> {
  readonly options: Options;
  readonly servers: Servers;
  readonly world: World;
  readonly say: (text: string) => void;
  #lastDatabase = 0;

  static async open<Options extends ArenaOptions>(setting: Setting<Options>): Promise<Arena<Options>> {
    const { servers, options } = setting;
    const world = createWorld(options.seed, options.members);
    await servers.execute("stampede", `create database ${TEMPLATE}`);
    await fillDatabase(servers.databaseUrl(TEMPLATE), options.seed, world);
    return new Arena(setting, world);
  }

  private constructor({ servers, options, say }: Setting<Options>, world: World) {
    this.options = options;
    this.servers = servers;
    this.world = world;
    this.say = say;
  }

  /** A new one: schema, organisation, token and members, no transactions. */
  async newDatabase(purpose: string): Promise<Database> {
    const name = `bench_${purpose}_${++this.#lastDatabase}`;
    await this.servers.execute("stampede", `create database ${name} template ${TEMPLATE}`);
    return { name, url: this.servers.databaseUrl(name), runs: [] };
  }

  /** Ends a subject: drains and stops it, and compares its database with its answers. */
  async settle(subject: Subject, database: Database): Promise<Verdict> {
    await waitUntilDrained(subject);
    await subject.stop();
    return this.verifyAndDrop(database);
  }

  /** Compares it with the evidence, and removes it. */
  async verifyAndDrop(database: Database): Promise<Verdict> {
    const verdict = await verify(database.url, this.world, database.runs);
    await this.servers.execute("stampede", `drop database ${database.name} with (force)`);
    return verdict;
  }

  async closedLoop(
    subject: Subject,
    database: Database,
    shape: LoadShape & { readonly connections: number; readonly generator?: LoadGenerator },
  ): Promise<RunResult> {
    const job = this.#job(subject, database, shape, shape.connections);
    if (shape.generator === "client") return this.#run(subject, database, { mode: "client", ...job });
    if (shape.generator !== "wrk") return this.#run(subject, database, { mode: "closed", ...job });
    const binary = findWrk();
    if (binary === undefined) throw new Error("wrk is not installed");
    const own = { binary, threads: WRK_THREADS, dir: this.servers.dir, graceSeconds: WRK_GRACE_SECONDS };
    return this.#run(subject, database, { mode: "wrk", ...job, ...own });
  }

  async openLoop(
    subject: Subject,
    database: Database,
    shape: Omit<LoadShape, "expectedPerSecond"> & {
      readonly requestsPerSecond: number;
      readonly connections: number;
      /**
       * Clearings and reversals refer to the same lane: few lanes have as many of them, even at a low rate.
       */
      readonly lanes?: number;
    },
  ): Promise<RunResult> {
    const { requestsPerSecond, connections } = shape;
    const whole = { ...shape, expectedPerSecond: requestsPerSecond };
    const job: OpenLoopJob = {
      mode: "open",
      ...this.#job(subject, database, whole, shape.lanes ?? OPEN_LOOP_LANES),
      requestsPerSecond,
      connections,
    };
    return this.#run(subject, database, job);
  }

  async ceiling(
    database: Database,
    shape: { readonly rows: number; readonly connections: number; readonly rowsPerSecond: number } & Pick<
      LoadShape,
      "seconds" | "warmUpSeconds" | "run"
    >,
  ): Promise<Measured> {
    await this.#settle();
    const { seconds, warmUpSeconds, rows, connections } = shape;
    const expectedPerSecond = shape.rowsPerSecond / rows;
    const spec = this.#spec(database, { ...shape, size: rows, expectedPerSecond }, connections);
    const { members } = this.options;
    const job: CeilingJob = { spec, members, databaseUrl: database.url, warmUpSeconds, seconds };
    const result = await runJob<CeilingResult>(new URL("./ceiling.js", import.meta.url), job);
    database.runs.push({ spec, fates: result.fates, unexpected: [] });
    return result.measured;
  }

  #spec(database: Database, shape: LoadShape, lanes: number): WorkloadSpec {
    const wanted = shape.expectedPerSecond * (shape.seconds + shape.warmUpSeconds) * SPARE;
    const requests = Math.min(wanted, EVENTS_MAX / shape.size);
    const requestsPerLane = Math.max(2, Math.ceil(requests / lanes));
    const { run = database.runs.length + 1, size } = shape;
    return { seed: this.options.seed, run, lanes, requestsPerLane, size };
  }

  #job(subject: Subject, database: Database, shape: LoadShape, lanes: number) {
    const { seconds, warmUpSeconds, async = false } = shape;
    const spec = this.#spec(database, shape, lanes);
    return { spec, members: this.options.members, url: subject.url, async, warmUpSeconds, seconds };
  }

  async #run(
    subject: Subject,
    database: Database,
    job: ClosedLoopJob | OpenLoopJob | WrkJob | ClientJob,
  ): Promise<RunResult> {
    await this.#settle();
    const main = new URL(MAINS[job.mode], import.meta.url);
    const backends = await BackendWatch.open(this.servers, database.name);
    const watched = {
      processes: subject.processes,
      queueDepth: () => subject.queueDepth(),
      databaseCpuSeconds: () => backends.cpuSeconds(),
    };
    const { fates, counted, ...run } = await watchUsage(watched, () => runJob<LoadResult>(main, job)).finally(
      () => backends.close(),
    );
    const { measured } = run;
    // The answers add up only if each request is sent once and all of them report their outcome.
    const isCounted = job.mode !== "open" && measured.statuses[202] === undefined;
    database.runs.push({
      spec: job.spec,
      fates,
      counted,
      processed: isCounted ? measured.processed : undefined,
      unexpected: measured.unexpected,
    });
    return run;
  }

  /**
   * Every run begins with an empty write-ahead log and no dirty pages: it does not pay for the run before.
   */
  async #settle(): Promise<void> {
    await this.servers.execute("stampede", "checkpoint");
  }
}

/** Waits until everything accepted is stored; resolves to the seconds that took. */
export function waitUntilDrained(subject: Subject): Promise<number> {
  return waitUntil(async () => (await subject.queueDepth()) === 0, `${subject.name} does not drain`);
}
