import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { StreamMessage } from "#nats";
import type { BatchForm } from "#store";
import { type PreparedBatch, type PrepareTask, prepareBatch } from "./prepare-batch.ts";

/** Runs `prepareBatch` on worker threads, or on this one when there are none. */
export interface HashPool {
  prepare(messages: readonly StreamMessage[], form: BatchForm): Promise<PreparedBatch>;
  /** Batches that wait for a free thread. */
  queued(): number;
  close(): Promise<void>;
}

/** What a thread gives back. */
export interface TimedBatch {
  readonly prepared: PreparedBatch;
  /** How long the thread was at it. */
  readonly runMs: number;
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
  if (threads === 0) {
    const prepare: HashPool["prepare"] = async (messages, form) => {
      const { prepared, runMs } = prepareTimed({ messages: messages.map(({ data }) => data), form, key });
      observe(0, runMs);
      return prepared;
    };
    return { prepare, queued: () => 0, close: async () => {} };
  }
  const pool = new Piscina<PrepareTask, TimedBatch>({
    filename: new URL("./hash-worker.js", import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    // Half of Node's default: what a batch leaves behind is dead when the next one begins, and room for more only stays
    // resident (30 MB less of 265, at the same speed).
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    concurrentTasksPerWorker: 1,
    maxQueue: Math.max(2 * threads, availableParallelism() * 4),
  });
  return {
    prepare: async (messages, form) => {
      const started = performance.now();
      // Copied first: what is transferred is gone here, and it is a view into the client's buffer.
      const copies = messages.map(({ data }) => Uint8Array.prototype.slice.call(data));
      const transferList = copies.map((bytes) => bytes.buffer as ArrayBuffer);
      const { prepared, runMs } = await pool.run({ messages: copies, form, key }, { transferList });
      observe(Math.max(0, performance.now() - started - runMs), runMs);
      return prepared;
    },
    queued: () => pool.queueSize,
    close: () => pool.destroy(),
  };
}

export function prepareTimed(task: PrepareTask): TimedBatch {
  const started = performance.now();
  const prepared = prepareBatch(task);
  return { prepared, runMs: performance.now() - started };
}
