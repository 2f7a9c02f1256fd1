import { LIMITS } from "#contract";
import type { DealOutcome, Outcome, OutcomeMessage } from "#contract/platform";
import { encodeId } from "#domain";
import { type BatchHandler, unstoredMessage } from "#nats";
import { ExpectedWait, type Store } from "#postgres";
import { type Log, repeat, restingWhenIdle } from "#runtime";
import type { AssertReady } from "./await-ingest.ts";
import { type CandidateKey, dropPast, dropTried, findDue } from "./store/deal-candidates.ts";
import { dropArrived, dropOverdue, type EarlyKey, findArrived } from "./store/early-outcomes.ts";

/** The tables are nearly always small, and a round is two queries on each. */
const INTERVAL_MS = 1_000;
/**
 * If they are large, searching takes at most this share of the time, except for one search a minute
 * (`restingWhenIdle`).
 */
const IDLE_SHARE = 0.05;
/** Steps of one round through the candidates: 20,000 candidates, some 150 ms. */
const STEPS = 10;

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
  const { store, handle, log } = parts;
  // Asked before each step: the database may have gone back since the last one.
  const isReady = () =>
    parts.assertReplayed().then(
      () => true,
      (error: unknown) => {
        if (error instanceof ExpectedWait) return false;
        throw error;
      },
    );
  // Two loops: if one fails or has much to search, the other goes on.
  let lastCandidate: CandidateKey | undefined;
  const candidates = repeat({
    name: "deal candidates",
    everyMs: INTERVAL_MS,
    work: restingWhenIdle(IDLE_SHARE, async (signal) => {
      let isTried = false;
      for (let step = 0; step < STEPS && !signal.aborted && (await isReady()); step++) {
        // The step's end is known before candidates leave, so that none behind it is passed over.
        const after = lastCandidate;
        lastCandidate = await dropPast(store, after);
        if (await retryCandidates(store, handle, after)) isTried = true;
        if (lastCandidate === undefined) break;
      }
      return isTried;
    }),
    failed: "outcomes that were kept wait for their clips",
    log,
  });
  let lastEarly: EarlyKey | undefined;
  const early = repeat({
    name: "early outcomes",
    everyMs: INTERVAL_MS,
    work: restingWhenIdle(IDLE_SHARE, async (signal) => {
      let isApplied = false;
      // A card that has room takes all that it can now, before new outcomes find the room.
      while (!signal.aborted && (await isReady())) {
        if (await retryEarly(store, handle)) {
          isApplied = true;
          continue;
        }
        lastEarly = await dropOverdue(store, lastEarly);
        break;
      }
      return isApplied;
    }),
    failed: "outcomes that were kept wait for their transactions or for room on their cards",
    log,
  });
  return async () => {
    await Promise.all([candidates.stop(), early.stop()]);
  };
}

/**
 * Tries the candidates of one step.
 * @param after where the step before ended; undefined: begins again
 * @returns whether any was tried: the clip's next candidate may wait behind it
 */
export async function retryCandidates(
  store: Store,
  handle: BatchHandler,
  after?: CandidateKey,
): Promise<boolean> {
  const due = await findDue(store, after);
  if (due.length === 0) return false;
  await handleAll(
    handle,
    due.map(({ outcome, openClipId }) => ({
      ...(JSON.parse(outcome) as DealOutcome),
      clip_id: encodeId("clip", openClipId),
    })),
  );
  await dropTried(store, due);
  return true;
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
