import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { type Log, startSampler } from "#runtime";
import { sweepDeliveries } from "./deliveries/sweep-deliveries.ts";
import { sweepEvents } from "./deliveries/sweep-events.ts";

const INTERVAL_MS = 60_000;

/** Removes deliveries and events that are older than they are kept, by the database's clock, until the function that it returns is called. */
export function startSweep(store: Store, log: Log): Promise<() => void> {
  return startSampler({
    name: "event sweep",
    intervalMs: INTERVAL_MS,
    sample: async () => {
      // In steps, so that no statement holds many rows; the last step finds nothing any more.
      while ((await sweepDeliveries(store, LIMITS.eventKeptMs)) > 0);
      while ((await sweepEvents(store, LIMITS.eventKeptMs)) > 0);
    },
    log,
  });
}
