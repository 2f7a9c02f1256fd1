import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { type WaitOptions, waitFor } from "./wait-for.ts";

const SAMPLE_MS = 50;

interface Counted<T> {
  readonly value: T;
  /** Milliseconds in which the machine had a core free for this process. */
  readonly countedMs: number;
  /** Milliseconds by the clock. */
  readonly ms: number;
}

/**
 * Waits as `waitFor` does, and returns how long that took: for claims about a bound of the contract. If
 * several tasks share a core, time counts by the share of each task: with six tasks on two cores, a second
 * counts as a third of one.
 */
export async function countedWait<T>(
  condition: () => Promise<T | undefined>,
  options: WaitOptions,
): Promise<Counted<T>> {
  const startedAt = performance.now();
  let sampledAt = startedAt;
  let countedMs = 0;
  const sample = () => {
    const now = performance.now();
    countedMs += (now - sampledAt) / Math.max(1, tasksPerCore());
    sampledAt = now;
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const value = await waitFor(condition, options);
    sample();
    return { value: value as T, countedMs, ms: performance.now() - startedAt };
  } finally {
    clearInterval(timer);
  }
}

/** Tasks that run, could run, or wait for the disk, of all processes. */
function tasksPerCore(): number {
  const cores = cpus().length;
  if (process.platform !== "linux") return (loadavg()[0] as number) / cores;
  const counts = readFileSync("/proc/stat", "utf8").matchAll(/^procs_(?:running|blocked) (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0) / cores;
}
