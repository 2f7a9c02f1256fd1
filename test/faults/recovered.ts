import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { Test } from "tap";
import { waitFor } from "#test-support";

/** The bound: requests are taken again this long after the cause is gone, without an operator. */
const RECOVERY_MS = 5_000;
/** However slow the machine: what is not there by then is not coming. */
const DEADLINE_MS = 90_000;
const SAMPLE_MS = 50;

/**
 * Waits until the condition gives something truthy, claims that it came in time, and returns it. The bound is of a machine that
 * can run whoever wants to run. Where several tasks share a core, time counts by the share that each of them gets: with
 * six on two cores a second is a third of one.
 */
export async function recovered<T>(
  t: Test,
  what: string,
  condition: () => Promise<T | undefined>,
  withinMs = RECOVERY_MS,
): Promise<T> {
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
    const value = await waitFor(condition, { deadlineMs: DEADLINE_MS, message: `${what}: not recovered` });
    sample();
    const ms = Math.round(performance.now() - startedAt);
    t.ok(countedMs <= withinMs, `${what}: after ${Math.round(countedMs)} ms of ours, ${ms} of the clock`);
    return value as T;
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
