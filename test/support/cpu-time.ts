import { readStat } from "#embedded";

/** CPU time of a process and of its ended children; 0 without proc(5). */
export function cpuMsOf(pid: number): number {
  return cpuTimesOf(pid).reduce((sum, ms) => sum + ms, 0);
}

/** `getconf CLK_TCK`, which has been 100 on every Linux for decades. */
const MS_PER_TICK = 10;

/** proc(5): fields 14 to 17, in ms: user and system time of the process, then of its ended children. */
export function cpuTimesOf(pid: number | "self"): number[] {
  const fields = readStat(pid)?.fields ?? []; // none: the process has ended, or this is not Linux
  return fields.slice(11, 15).map((ticks) => Number(ticks) * MS_PER_TICK);
}
