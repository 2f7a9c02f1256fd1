import { move, transferableSymbol, valueSymbol } from "piscina";
import { type PrepareTask, prepareBatch } from "./prepare-batch.ts";

/**
 * What a worker thread runs: see `prepareBatch`. Message bytes arrive by transfer, and the copied rows leave by transfer:
 * a clone would copy the whole block of memory that they were written into.
 * @returns a `PreparedBatch`, for Piscina to move
 */
export default function prepareInWorker(task: PrepareTask): unknown {
  const prepared = prepareBatch(task);
  const { singles } = prepared.events;
  if (typeof singles === "string") return prepared;
  return move({ [transferableSymbol]: singles.buffer, [valueSymbol]: prepared } as never);
}
