import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { LIMITS } from "#contract";
import type { StreamMessage } from "#nats";
import { type PreparedBatch, type PrepareTask, prepareTimed, type TimedBatch } from "./prepare-batch.ts";

/** Runs `prepareBatch` on worker threads; a small batch, and any where there are none, on this one. */
export interface HashPool {
  prepare(messages: readonly StreamMessage[]): Promise<PreparedBatch>;
  /** Batches that wait for a free thread. */
  queued(): number;
  close(): Promise<void>;
}

/**
 * How long a batch was worked on, and how much longer it took to come back: waiting for a thread, and the ways there and
 * back. The difference is taken, because the threads' clocks begin at different times.
 */
export type PoolObserver = (waitMs: number, runMs: number) => void;

/**
 * @param threads 0 runs everything on the calling thread
 * @param key the installation's, for the ids of transactions
 */
export function createHashPool(threads: number, key: string, observe: PoolObserver): HashPool {
  const prepareHere: HashPool["prepare"] = async (messages) => {
    const { prepared, runMs } = prepareTimed({ messages: messages.map(({ data }) => data), key });
    observe(0, runMs);
    return prepared;
  };
  if (threads === 0) return { prepare: prepareHere, queued: () => 0, close: async () => {} };
  const pool = new Piscina<PrepareTask, TimedBatch>({
    filename: new URL("./hash-worker.js", import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    // What a batch leaves behind is dead when the next one begins, and room for more only stays resident.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
    concurrentTasksPerWorker: 1,
    maxQueue: Math.max(2 * threads, availableParallelism() * 4),
  });
  return {
    prepare: async (messages) => {
      // There and back takes a millisecond, which is more than the work.
      if (rowsIn(messages) <= LIMITS.rowsAtOnce) return prepareHere(messages);
      const started = performance.now();
      // Copied first: what is transferred is gone here, and it is a view into the client's buffer.
      const copies = messages.map(({ data }) => Uint8Array.prototype.slice.call(data));
      const transferList = copies.map((bytes) => bytes.buffer as ArrayBuffer);
      const { prepared, runMs } = await pool.run({ messages: copies, key }, { transferList });
      observe(Math.max(0, performance.now() - started - runMs), runMs);
      return prepared;
    },
    queued: () => pool.queueSize,
    close: () => pool.destroy(),
  };
}

function rowsIn(messages: readonly StreamMessage[]): number {
  return messages.reduce((sum, { rows }) => sum + rows, 0);
}
