import { readdirSync, readFileSync } from "node:fs";

/** What a process took so far; zeros where there is no /proc or it may not be read. */
export interface ProcessCounters {
  /** User and system time of all threads, seconds. */
  readonly cpuSeconds: number;
  /** Of its first thread alone: in Node the one that runs our code. */
  readonly mainSeconds: number;
  /** Bytes that it caused to be written to disk. */
  readonly writtenBytes: number;
}

/** USER_HZ, which Linux fixes at 100 for user space. */
const TICKS_PER_SECOND = 100;

export function readCounters(pid: number): ProcessCounters {
  return {
    cpuSeconds: cpuIn(`/proc/${pid}/stat`),
    mainSeconds: cpuIn(`/proc/${pid}/task/${pid}/stat`),
    writtenBytes: Number(/^write_bytes: (\d+)/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0),
  };
}

/** Processes whose parent is one of these. */
export function childrenOf(parents: ReadonlySet<number>): number[] {
  const pids = list("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => parents.has(Number(fieldsOf(read(`/proc/${pid}/stat`))[1])));
}

/** Seconds that all cores together were busy since the start of the machine, whoever with. */
export function machineBusySeconds(): number {
  // user nice system idle iowait irq softirq steal
  const ticks = read("/proc/stat").split("\n")[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Fields after the command, which may hold spaces: the 14th and 15th of the line are user and system time. */
function cpuIn(path: string): number {
  const fields = fieldsOf(read(path));
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

function fieldsOf(stat: string): string[] {
  return stat.replace(/^.*\) /, "").split(" ");
}

/** Empty when it is gone, or is not ours to see. */
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
