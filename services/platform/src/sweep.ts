import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "#contract";
import { type Store, sweepIdempotencyKeys } from "#postgres";
import type { Log } from "#runtime";
import { expirePayments, expireRecords, forgetHalves } from "./halves/sweep-halves.ts";
import type { MatchingMetrics } from "./matching-metrics.ts";
import { PLATFORM_KEYS } from "./platform-keys.ts";

const INTERVAL_MS = 60_000;

/**
 * Ends in the background the wait of halves that found no other one in 30 days, and forgets what is long over, until the
 * function that it returns is called; that one waits for the step under way. Steps are small, so that nobody waits for
 * their locks; several processes may do it at the same time.
 */
export function startSweep(store: Store, metrics: MatchingMetrics, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      await sweep(store, metrics, stopping.signal).catch((error) =>
        log.warn({ err: error }, "old halves are not swept yet"),
      );
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}

/** A pair is made within the window after its first half arrived, and stays known for so long after that. */
const KNOWN_MS = LIMITS.matchWindowMs + LIMITS.pairedKeptMs;

/** One round, until there is nothing left to do. */
export async function sweep(store: Store, metrics: MatchingMetrics, stop: AbortSignal): Promise<void> {
  await repeat(stop, async () => {
    const records = await expireRecords(store, LIMITS.matchWindowMs);
    metrics.swept("expired_record", records);
    return records;
  });
  await repeat(stop, async () => {
    const payments = await expirePayments(store, LIMITS.matchWindowMs);
    metrics.swept("expired_payment", payments);
    return payments;
  });
  await repeat(stop, async () => {
    const { records, payments } = await forgetHalves(store, KNOWN_MS);
    metrics.swept("forgotten_record", records);
    metrics.swept("forgotten_payment", payments);
    return records + payments;
  });
  await repeat(stop, () => sweepIdempotencyKeys(store, LIMITS.idempotencyKeyKeptMs, PLATFORM_KEYS.table));
}

async function repeat(stop: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!stop.aborted && (await step()) > 0);
}
