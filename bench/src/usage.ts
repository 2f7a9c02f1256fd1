import { readFileSync } from "node:fs";
import type { Subject } from "./subjects/subject.ts";

/** What a subject's processes took while something ran, and how long its queue was. */
export interface Usage {
  readonly processes: readonly ProcessUsage[];
  readonly queue: readonly QueuePoint[];
}

export interface ProcessUsage {
  readonly name: string;
  /** The largest resident set that was seen; 0 where there is no /proc. */
  readonly rssBytes: number;
  /** User and system time that it took. */
  readonly cpuSeconds: number;
}

type Watched = Pick<Subject, "processes" | "queueDepth">;

export interface QueuePoint {
  /** By the clock, as `LoadResult.startedAtMs` is. */
  readonly atMs: number;
  readonly depth: number;
}

const SAMPLE_MS = 250;
/** USER_HZ, which Linux fixes at 100 for user space. */
const TICKS_PER_SECOND = 100;

/** Watches a subject while `work` runs. */
export async function watchUsage<T>(subject: Watched, work: () => Promise<T>): Promise<T & { usage: Usage }> {
  const before = subject.processes.map(({ pid }) => readProcess(pid));
  const rss = subject.processes.map(() => 0);
  const queue: QueuePoint[] = [];
  let asking = false;
  const sample = async (): Promise<void> => {
    for (const [i, { pid }] of subject.processes.entries()) {
      rss[i] = Math.max(rss[i] as number, readProcess(pid).rssBytes);
    }
    if (asking) return;
    asking = true;
    const depth = await subject.queueDepth().catch(() => 0);
    asking = false;
    queue.push({ atMs: Date.now(), depth });
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  try {
    const result = await work();
    await sample();
    const processes = subject.processes.map(({ name, pid }, i): ProcessUsage => {
      const cpuSeconds = readProcess(pid).cpuSeconds - (before[i]?.cpuSeconds ?? 0);
      return { name, rssBytes: rss[i] as number, cpuSeconds };
    });
    return { ...result, usage: { processes, queue } };
  } finally {
    clearInterval(timer);
  }
}

/** What a process has and took so far; zeros where there is no /proc. */
export function readProcess(pid: number): { rssBytes: number; cpuSeconds: number } {
  try {
    const rssKiB = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0;
    // Fields after the command, which may hold spaces: the 14th and 15th of the line are user and system time.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { rssBytes: Number(rssKiB) * 1024, cpuSeconds: ticks / TICKS_PER_SECOND };
  } catch {
    return { rssBytes: 0, cpuSeconds: 0 };
  }
}
