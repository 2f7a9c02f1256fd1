import { readProcess } from "../usage.ts";

export interface MemoryPoint {
  readonly seconds: number;
  /** Of all that there is to do, 0 to 1. */
  readonly done: number;
  readonly rssBytes: number;
}

const SAMPLE_MS = 100;

/** The resident memory of a process while `work` runs. */
export async function watchMemory<T>(
  pid: number,
  done: () => number,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly memory: readonly MemoryPoint[] }> {
  const startedMs = performance.now();
  const memory: MemoryPoint[] = [];
  const sample = (): void => {
    const seconds = (performance.now() - startedMs) / 1000;
    memory.push({ seconds, done: done(), rssBytes: readProcess(pid).rssBytes });
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const result = await work();
    sample();
    return { result, memory };
  } finally {
    clearInterval(timer);
  }
}

/** The most that was seen while between these shares were done; undefined: nothing was seen then. */
export function largestBetween(memory: readonly MemoryPoint[], from: number, to: number): number | undefined {
  const sizes = memory.filter(({ done }) => done >= from && done <= to).map(({ rssBytes }) => rssBytes);
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}
