import { BackendWatch, type Counters } from "./backend-watch.ts";
import type { ServiceProcess } from "./processes.ts";
import type { Servers } from "./servers.ts";
import { readStreams } from "./streams.ts";
import { childrenOf, machineBusySeconds, readCounters } from "./usage.ts";

export type { Counters };

interface Reading {
  /** By the clock. */
  readonly atMs: number;
  readonly counters: Counters;
}

/** Readings of counters over time, and their growth between any two moments. */
export class CounterSeries {
  readonly #readings: Reading[] = [];

  add(atMs: number, counters: Counters): void {
    this.#readings.push({ atMs, counters });
  }

  /** How much each counter rose between two moments; it is assumed to rise evenly between two readings. */
  between(fromMs: number, toMs: number): Counters {
    const names = new Set(this.#readings.flatMap(({ counters }) => Object.keys(counters)));
    const rises = [...names].map((name) => [name, this.#at(name, toMs) - this.#at(name, fromMs)] as const);
    return Object.fromEntries(rises);
  }

  #at(name: string, atMs: number): number {
    // A missing counter has not started yet.
    const readOf = ({ counters }: Reading) => counters[name] ?? 0;
    const after = this.#readings.findIndex((reading) => reading.atMs >= atMs);
    if (after === -1) return this.#readings.length === 0 ? 0 : readOf(this.#readings.at(-1) as Reading);
    const next = this.#readings[after] as Reading;
    const last = this.#readings[after - 1];
    if (last === undefined) return readOf(next);
    const share = (atMs - last.atMs) / (next.atMs - last.atMs);
    return readOf(last) + share * (readOf(next) - readOf(last));
  }
}

const INTERVAL_MS = 200;

/** The watched parts: the services of one installation, and everything that works for them. */
interface Metered {
  readonly servers: Servers;
  /** The installation's database, by its name in the URL. */
  readonly database: string;
  readonly processes: readonly ServiceProcess[];
  readonly streamPrefix: string;
}

/**
 * Reads the counters of all parts five times a second while something runs: CPU time of each service, of the
 * Postgres backends by the service that they serve, of NATS and of the load; bytes and messages from NATS;
 * the write-ahead log. The meter's own cost (its backend, this process) counts under `bench` and `generator`.
 */
export class Meter {
  readonly #metered: Metered;
  readonly #backends: BackendWatch;
  readonly #series = new CounterSeries();
  /** For processes that come and go: the last reading of each. */
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

  /**
   * This process (it sends payments and receives webhooks), and its children that are no part of the product.
   */
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

interface Connections {
  readonly connections?: readonly {
    readonly name?: string;
    readonly in_bytes: number;
    readonly out_bytes: number;
  }[];
}

/**
 * NATS's own counters: bytes from and to each service by the name of its connection (`from.edge`,
 * `to.ingest`), and messages that each stream of the installation has ever stored (`stored.INGEST`, all
 * partitions together).
 */
async function readNats(monitorUrl: string, prefix: string): Promise<Counters> {
  const [answer, streams] = await Promise.all([
    fetch(`${monitorUrl}/connz?limit=1024`),
    readStreams(monitorUrl, prefix),
  ]);
  const { connections = [] } = (await answer.json()) as Connections;
  const counters: Record<string, number> = {};
  const add = (name: string, value: number): void => {
    counters[name] = (counters[name] ?? 0) + value;
  };
  for (const { name = "unnamed", in_bytes, out_bytes } of connections) {
    add(`from.${name}`, in_bytes);
    add(`to.${name}`, out_bytes);
  }
  for (const { name, state } of streams) add(`stored.${streamOf(name.slice(prefix.length))}`, state.last_seq);
  return counters;
}

/** `INGEST_0` is one of several. */
function streamOf(stream: string): string {
  return stream.replace(/_\d+$/, "");
}
