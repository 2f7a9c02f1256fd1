import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { type PreparedBatch, type PrepareTask, prepareBatch } from "./prepare-batch.ts";

/** Runs `prepareBatch` on worker threads, or on this one when there are none. */
export interface HashPool {
  prepare(task: PrepareTask): Promise<PreparedBatch>;
  /** Batches that wait for a free thread. */
  queued(): number;
  close(): Promise<void>;
}

/** @param threads 0 runs everything on the calling thread */
export function createHashPool(threads: number): HashPool {
  if (threads === 0) {
    return { prepare: async (task) => prepareBatch(task), queued: () => 0, close: async () => {} };
  }
  const pool = new Piscina<PrepareTask, PreparedBatch>({
    filename: new URL("./hash-worker.js", import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    // Half of Node's default: what a batch leaves behind is dead when the next one begins, and room for more only stays
    // resident (30 MB less of 265, at the same speed).
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    // Two batches for each thread keep it busy while the main thread takes a result in.
    concurrentTasksPerWorker: 1,
    maxQueue: Math.max(2 * threads, availableParallelism() * 4),
  });
  return {
    prepare: (task) =>
      pool.run(task, { transferList: task.messages.map((message) => message.bytes.buffer as ArrayBuffer) }),
    queued: () => pool.queueSize,
    close: () => pool.destroy(),
  };
}
