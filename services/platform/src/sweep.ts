import { LIMITS } from "#contract";
import { expirePayments, expireRecords, forgetHalves, PLATFORM_KEYS } from "#platform-store";
import { type Log, repeat } from "#runtime";
import { type Store, sweepIdempotencyKeys } from "#store";
import type { MatchingMetrics } from "./matching-metrics.ts";

const INTERVAL_MS = 60_000;

/**
 * Ends in the background the wait of halves that found no other one in 30 days, and forgets what is long over, until the
 * function that it returns is called; that one waits for the step under way. Steps are small, so that nobody waits for
 * their locks; several processes may do it at the same time.
 */
export function startSweep(store: Store, metrics: MatchingMetrics, log: Log): () => Promise<void> {
  const { stop } = repeat({
    name: "old halves",
    everyMs: INTERVAL_MS,
    work: (signal) => sweep(store, metrics, signal),
    failed: "old halves are not swept yet",
    log,
  });
  return stop;
}

/** A pair is made within the window after its first half arrived, and stays known for so long after that. */
const KNOWN_MS = LIMITS.matchWindowMs + LIMITS.pairedKeptMs;

/** One round, until there is nothing left to do. */
export async function sweep(store: Store, metrics: MatchingMetrics, stop: AbortSignal): Promise<void> {
  await inSteps(stop, async () => {
    const records = await expireRecords(store, LIMITS.matchWindowMs);
    metrics.swept("expired_record", records);
    return records;
  });
  await inSteps(stop, async () => {
    const payments = await expirePayments(store, LIMITS.matchWindowMs);
    metrics.swept("expired_payment", payments);
    return payments;
  });
  await inSteps(stop, async () => {
    const { records, payments } = await forgetHalves(store, KNOWN_MS);
    metrics.swept("forgotten_record", records);
    metrics.swept("forgotten_payment", payments);
    return records + payments;
  });
  await inSteps(stop, () => sweepIdempotencyKeys(store, LIMITS.idempotencyKeyKeptMs, PLATFORM_KEYS.table));
}

async function inSteps(stop: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!stop.aborted && (await step()) > 0);
}
