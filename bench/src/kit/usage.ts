import { readdirSync, readFileSync } from "node:fs";
import { readStat } from "#embedded";
import type { ServiceProcess } from "./processes.ts";

/** The consumption of a subject's processes while something ran, and the length of its queue. */
export interface Usage {
  readonly processes: readonly ProcessUsage[];
  readonly samples: readonly Sample[];
  /** User and system time of the PostgreSQL backends that served it, if they were watched. */
  readonly databaseCpuSeconds?: number | undefined;
}

interface ProcessUsage {
  readonly name: string;
  /** The largest resident set seen. */
  readonly rssBytes: number;
  /** The user and system time used. */
  readonly cpuSeconds: number;
}

interface Sample {
  /** By the clock, like `LoadResult.startedAtMs`. */
  readonly atMs: number;
  /** The accepted and unfinished work. */
  readonly queueDepth: number;
  /** The resident set of the largest process. */
  readonly rssBytes: number;
}

interface Watched {
  readonly processes: readonly ServiceProcess[];
  queueDepth(): Promise<number>;
  /** Of the backends that serve it, seconds since they began. */
  databaseCpuSeconds?(): Promise<number>;
}

const SAMPLE_MS = 250;

/** Watches a subject while `work` runs. */
export async function watchUsage<T>(subject: Watched, work: () => Promise<T>): Promise<T & { usage: Usage }> {
  const before = subject.processes.map(({ pid }) => readCounters(pid).cpuSeconds);
  const databaseBefore = await subject.databaseCpuSeconds?.();
  const rss = subject.processes.map(() => 0);
  const samples: Sample[] = [];
  let asking = false;
  const sample = async (): Promise<void> => {
    const now = subject.processes.map(({ pid }) => readRssBytes(pid));
    for (const [i, bytes] of now.entries()) rss[i] = Math.max(rss[i] as number, bytes);
    if (asking) return;
    asking = true;
    const queueDepth = await subject.queueDepth().catch(() => 0);
    asking = false;
    samples.push({ atMs: Date.now(), queueDepth, rssBytes: Math.max(...now) });
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  try {
    const result = await work();
    await sample();
    const databaseAfter = await subject.databaseCpuSeconds?.();
    const databaseCpuSeconds =
      databaseAfter === undefined ? undefined : databaseAfter - (databaseBefore as number);
    const processes = subject.processes.map(({ name, pid }, i): ProcessUsage => {
      const cpuSeconds = readCounters(pid).cpuSeconds - (before[i] as number);
      return { name, rssBytes: rss[i] as number, cpuSeconds };
    });
    return { ...result, usage: { processes, samples, databaseCpuSeconds } };
  } finally {
    clearInterval(timer);
  }
}

/**
 * The consumption of a service's process while it worked through a backlog.
 * @param left how much of it is left, if known
 */
export function watchService<T extends object>(
  service: ServiceProcess,
  work: () => Promise<T>,
  left = () => 0,
): Promise<T & { readonly usage: Usage }> {
  return watchUsage({ processes: [service], queueDepth: async () => left() }, work);
}

/** The consumption of a process so far; zeros if there is no /proc or it may not be read. */
interface ProcessCounters {
  /** User and system time of all threads, seconds. */
  readonly cpuSeconds: number;
  /** Of its first thread alone: in Node the one that runs JavaScript. */
  readonly mainSeconds: number;
  /** Of its children that have ended. */
  readonly childrenSeconds: number;
  /** Bytes that it caused to be written to disk. */
  readonly writtenBytes: number;
}

/** USER_HZ, which Linux fixes at 100 for user space. */
const TICKS_PER_SECOND = 100;

export function readCounters(pid: number): ProcessCounters {
  return {
    cpuSeconds: cpuOf(pid),
    mainSeconds: cpuOf(`${pid}/task/${pid}`),
    childrenSeconds: cpuOf(pid, CHILDREN_AT),
    writtenBytes: Number(/^write_bytes: (\d+)/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0),
  };
}

/** The resident set; 0 without /proc. */
function readRssBytes(pid: number): number {
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** Processes whose parent is one of these. */
export function childrenOf(parents: ReadonlySet<number>): number[] {
  const pids = list("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => parents.has(Number(readStat(pid)?.fields[1])));
}

/** Seconds that all cores together were busy since the machine started, with any program. */
export function machineBusySeconds(): number {
  // user nice system idle iowait irq softirq steal
  const ticks = read("/proc/stat").split("\n")[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Among the fields after the name: the 14th of the line and the 16th. */
const OWN_AT = 11;
const CHILDREN_AT = 13;

/** User and system time, which are adjacent. */
function cpuOf(pid: number | string, at = OWN_AT): number {
  const fields = readStat(pid)?.fields ?? [];
  return (Number(fields[at] ?? 0) + Number(fields[at + 1] ?? 0)) / TICKS_PER_SECOND;
}

/** Empty if it is gone, or not readable for us. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
