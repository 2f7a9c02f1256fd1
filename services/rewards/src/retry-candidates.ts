import type { DealOutcome, OutcomeMessage } from "#contract/platform";
import { encodeId } from "#domain";
import type { BatchHandler } from "#nats";
import type { Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import { dropPast, dropTried, findDue } from "./rows/deal-candidates.ts";

/** The table is small, and a round is two looks at it. */
const INTERVAL_MS = 1_000;
/** Where it is not, looking takes at most this share of the time. */
const BUSY_SHARE = 0.05;

/**
 * Lets the newest candidate of each clip that is open redeem it, by the same steps as an outcome that comes from the platform: the
 * clip was opened by a reversal, or the member has saved the deal again. Several processes may do it at once: the clip's lock decides, and whoever is late finds it redeemed.
 *
 * A crash between the two steps tries an applied candidate again, which finds that its purchase has redeemed the deal.
 */
export function startRetryingCandidates(parts: {
  readonly store: Store;
  readonly handle: BatchHandler;
  readonly log: Log;
}): () => Promise<void> {
  let restUntil = 0;
  const { stop } = repeat({
    name: "deal candidates",
    everyMs: INTERVAL_MS,
    work: async (signal) => {
      const begin = performance.now();
      if (begin < restUntil) return;
      await retryCandidates(parts.store, parts.handle, signal);
      const end = performance.now();
      restUntil = end + (end - begin) / BUSY_SHARE;
    },
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
    const outcomes = due.map(({ outcome, openClipId }) => ({
      ...(JSON.parse(outcome) as DealOutcome),
      clip_id: encodeId("clip", openClipId),
    }));
    const data = Buffer.from(JSON.stringify({ v: 1, outcomes } satisfies OutcomeMessage));
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
