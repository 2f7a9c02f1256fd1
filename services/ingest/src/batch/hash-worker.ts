import { move, transferableSymbol, valueSymbol } from "piscina";
import { type PrepareTask, prepareTimed } from "./prepare-batch.ts";

/**
 * Runs `prepareBatch` on a worker thread. Message bytes arrive by transfer, and the packed rows and records
 * leave by transfer: a clone would copy the whole blocks of memory that they were written into.
 * @returns a `TimedBatch`, for Piscina to move
 */
export default function prepareInWorker(task: PrepareTask): unknown {
  const timed = prepareTimed(task);
  const { events, records } = timed.prepared;
  return move({
    [transferableSymbol]: [events.rows.bytes.buffer, records.bytes.buffer],
    [valueSymbol]: timed,
  } as never);
}
