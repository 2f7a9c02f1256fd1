import { move, transferableSymbol, valueSymbol } from "piscina";
import { prepareTimed } from "./hash-pool.ts";
import type { PrepareTask } from "./prepare-batch.ts";

/**
 * What a worker thread runs: see `prepareBatch`. Message bytes arrive by transfer, and the copied rows leave by transfer:
 * a clone would copy the whole block of memory that they were written into.
 * @returns a `TimedBatch`, for Piscina to move
 */
export default function prepareInWorker(task: PrepareTask): unknown {
  const timed = prepareTimed(task);
  const { firsts } = timed.prepared.events;
  if (typeof firsts === "string") return timed;
  return move({ [transferableSymbol]: firsts.buffer, [valueSymbol]: timed } as never);
}
