import { Piscina } from "piscina";
import { LIMITS } from "#contract";
import type { StreamMessage } from "#nats";
import { type PreparedBatch, type PrepareTask, prepareTimed, type TimedBatch } from "./prepare-batch.ts";

/**
 * Runs `prepareBatch` on worker threads. Runs a small batch on this thread, and every batch if there are no
 * workers.
 */
export interface HashPool {
  prepare(messages: readonly StreamMessage[]): Promise<PreparedBatch>;
  /** Batches that wait for a free thread. */
  queued(): number;
  close(): Promise<void>;
}

/**
 * How long a thread worked on a batch, and how much longer the batch took to come back: the wait for a
 * thread, and both transfers. It is a difference, because the threads' clocks begin at different times.
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
    // All memory of a batch is garbage when the next one begins. A larger young generation would only stay
    // resident.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
    concurrentTasksPerWorker: 1,
  });
  return {
    prepare: async (messages) => {
      // A transfer there and back takes a millisecond, longer than the work itself.
      if (rowsIn(messages) <= LIMITS.rowsAtOnce) return prepareHere(messages);
      const started = performance.now();
      // Copied first, because a transfer detaches the buffer, and this one belongs to the client.
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
