import { LIMITS } from "#contract";
import type { DealOutcome, Outcome, OutcomeMessage } from "#contract/platform";
import { encodeId } from "#domain";
import { type BatchHandler, unstoredMessage } from "#nats";
import { ExpectedWait, type Store } from "#postgres";
import { type Log, repeat, restingWhenIdle } from "#runtime";
import type { AssertReady } from "./await-ingest.ts";
import { dropPast, dropTried, findDue } from "./store/deal-candidates.ts";
import { dropArrived, dropOverdue, type EarlyKey, findArrived } from "./store/early-outcomes.ts";

/** The tables are nearly always small, and a round is four queries on them. */
const INTERVAL_MS = 1_000;
/**
 * If they are large, searching takes at most this share of the time, except for one search a minute
 * (`restingWhenIdle`).
 */
const IDLE_SHARE = 0.05;

/**
 * Applies stored outcomes, in the same steps as outcomes from the platform. The newest candidate of each open
 * clip redeems it: a reversal opened the clip, or the member saved the deal again. An outcome that came
 * before its transaction is applied when the transaction is stored, one that found its card full when the
 * card has room. Several processes may do this at the same time: the locks of clip and collection decide, and
 * a late process finds the clip redeemed or the stamp made.
 *
 * After a crash between applying and deleting, the outcome is tried again, and finds the deal redeemed or the
 * stamp made.
 */
export function startRetrying(parts: {
  readonly store: Store;
  /** Takes all outcomes: one that it kept once more would then be deleted as tried. */
  readonly handle: BatchHandler;
  /** Made by `awaitOutcomes`: a stored outcome is applied to the present state, with all settlings. */
  readonly assertReplayed: AssertReady;
  readonly log: Log;
}): () => Promise<void> {
  // Asked before each step: the database may have gone back since the last one.
  const isReady = () =>
    parts.assertReplayed().then(
      () => true,
      (error: unknown) => {
        if (error instanceof ExpectedWait) return false;
        throw error;
      },
    );
  let lookedUp: EarlyKey | undefined;
  const { stop } = repeat({
    name: "kept outcomes",
    everyMs: INTERVAL_MS,
    work: restingWhenIdle(IDLE_SHARE, async (signal) => {
      if (!(await isReady())) return false;
      const isTried = await retryCandidates(parts.store, parts.handle, signal);
      let isApplied = false;
      // A card that has room takes all that it can now, before new outcomes find the room.
      while (!signal.aborted && (await isReady()) && (await retryEarly(parts.store, parts.handle)))
        isApplied = true;
      lookedUp = await dropOverdue(parts.store, lookedUp);
      return isApplied || isTried;
    }),
    failed: "outcomes that were kept wait for their clips and transactions",
    log: parts.log,
  });
  return stop;
}

/** @returns whether any was tried: the clip's next candidate may wait behind it */
export async function retryCandidates(
  store: Store,
  handle: BatchHandler,
  signal: AbortSignal,
): Promise<boolean> {
  const due = await findDue(store);
  if (due.length > 0) {
    await handleAll(
      handle,
      due.map(({ outcome, openClipId }) => ({
        ...(JSON.parse(outcome) as DealOutcome),
        clip_id: encodeId("clip", openClipId),
      })),
    );
    await dropTried(store, due);
  }
  while (!signal.aborted && (await dropPast(store)) > 0);
  return due.length > 0;
}

/** @returns whether any was applied: others may wait behind them */
export async function retryEarly(
  store: Store,
  handle: BatchHandler,
  pendingMax: number = LIMITS.pendingRedemptionsPerCard,
): Promise<boolean> {
  const arrived = await findArrived(store, pendingMax);
  if (arrived.length === 0) return false;
  await handleAll(
    handle,
    arrived.map(({ outcome }) => JSON.parse(outcome) as Outcome),
  );
  await dropArrived(store, arrived);
  return true;
}

async function handleAll(handle: BatchHandler, outcomes: Outcome[]): Promise<void> {
  const data = Buffer.from(JSON.stringify({ v: 1, outcomes } satisfies OutcomeMessage));
  await handle([unstoredMessage(data, outcomes.length)]);
}
