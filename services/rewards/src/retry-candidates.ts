import type { BatchHandler } from "#nats";
import type { Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import { dropPast, dropTried, findDue } from "./rows/deal-candidates.ts";

/** The table is nearly always empty, and then a round is two looks at it. */
const INTERVAL_MS = 1_000;

/**
 * Lets the newest candidate of each clip that is open again redeem it, by the same steps as an outcome that comes from the
 * platform. Several processes may do it at once: the clip's lock decides, and whoever is late finds it redeemed.
 *
 * A crash between the two steps tries an applied candidate again, which finds that its purchase has redeemed the deal.
 */
export function startRetryingCandidates(parts: {
  readonly store: Store;
  readonly handle: BatchHandler;
  readonly log: Log;
}): () => Promise<void> {
  const { stop } = repeat({
    name: "deal candidates",
    everyMs: INTERVAL_MS,
    work: (signal) => retryCandidates(parts.store, parts.handle, signal),
    failed: "clips that are open again wait for their purchases",
    log: parts.log,
  });
  return stop;
}

export async function retryCandidates(
  store: Store,
  handle: BatchHandler,
  signal: AbortSignal,
): Promise<void> {
  const due = await findDue(store);
  if (due.length > 0) {
    const outcomes = due.map(({ outcome }) => outcome).join(",");
    const data = Buffer.from(`{"v":1,"outcomes":[${outcomes}]}`);
    await handle([
      {
        subject: "",
        partition: 0,
        sequence: 0,
        data,
        storedAtMs: 0,
        rows: due.length,
        traceIds: "",
        traceparent: "",
      },
    ]);
    await dropTried(store, due);
  }
  while (!signal.aborted && (await dropPast(store)) > 0);
}
