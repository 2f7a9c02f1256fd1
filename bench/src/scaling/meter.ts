import type { Servers } from "../servers.ts";
import type { ServiceProcess } from "../service-process.ts";
import { BackendWatch } from "./backend-watch.ts";
import { CounterSeries, type Counters } from "./counter-series.ts";
import { readNats } from "./nats-counters.ts";
import { childrenOf, machineBusySeconds, readCounters } from "./proc.ts";

const INTERVAL_MS = 200;

/** What is watched: the services of one installation, and everything that works for them. */
export interface Metered {
  readonly servers: Servers;
  /** Of the installation, as it is in the URL. */
  readonly database: string;
  readonly processes: readonly ServiceProcess[];
  readonly streamPrefix: string;
}

/**
 * Reads the counters of all parts five times a second while something runs: CPU time of each service, of the Postgres
 * backends by the service that they serve, of NATS and of the load; bytes and messages from NATS; the write-ahead log. What
 * the meter itself takes (its own backend, this process) goes under `bench` and `generator`.
 */
export class Meter {
  readonly #metered: Metered;
  readonly #backends: BackendWatch;
  readonly #series = new CounterSeries();
  /** Of processes that come and go: the last that was read of each. */
  readonly #generator = new Map<number, number>();
  #running: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  static async start(metered: Metered): Promise<Meter> {
    const backends = await BackendWatch.open(metered.servers, metered.database);
    const meter = new Meter(metered, backends);
    await meter.#read();
    meter.#timer = setInterval(() => {
      meter.#running = meter.#running.then(() => meter.#read());
    }, INTERVAL_MS);
    return meter;
  }

  private constructor(metered: Metered, backends: BackendWatch) {
    this.#metered = metered;
    this.#backends = backends;
  }

  /** Between two moments by the clock. */
  between(fromMs: number, toMs: number): Counters {
    return this.#series.between(fromMs, toMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    await this.#read();
    await this.#backends.close();
  }

  async #read(): Promise<void> {
    const { servers, processes, streamPrefix } = this.#metered;
    const [database, nats] = await Promise.all([
      this.#backends.read(),
      readNats(servers.nats.monitorUrl, streamPrefix),
    ]);
    const atMs = performance.timeOrigin + performance.now();
    const counters: Record<string, number> = { ...database, ...nats, "machine.busy": machineBusySeconds() };
    for (const { name, pid } of processes) addProcess(counters, name, pid);
    addProcess(counters, "nats", servers.nats.pid);
    counters["cpu.generator"] = this.#generatorSeconds();
    this.#series.add(atMs, counters);
  }

  /** This process (it sends payments and takes webhooks), and its children that are no part of the product. */
  #generatorSeconds(): number {
    const { servers, processes } = this.#metered;
    const others = new Set([...processes.map(({ pid }) => pid), servers.nats.pid, servers.postgres.pid]);
    const own = childrenOf(new Set([process.pid])).filter((pid) => !others.has(pid));
    for (const pid of [process.pid, ...own]) this.#generator.set(pid, readCounters(pid).cpuSeconds);
    return [...this.#generator.values()].reduce((sum, seconds) => sum + seconds, 0);
  }
}

function addProcess(counters: Record<string, number>, name: string, pid: number): void {
  const { cpuSeconds, mainSeconds, writtenBytes } = readCounters(pid);
  counters[`cpu.${name}`] = cpuSeconds;
  counters[`main.${name}`] = mainSeconds;
  counters[`written.${name}`] = writtenBytes;
}
