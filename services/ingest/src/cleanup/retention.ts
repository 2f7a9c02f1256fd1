import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import type { RetentionMetrics } from "../metrics.ts";
import { areOver, findOpenWriters } from "../open-writers.ts";
import { restAfter } from "./rest-after.ts";
import { type Keeper, type Round, readRetention, stepRound, takeRound } from "./round.ts";

const INTERVAL_MS = 5_000;
/** A quarter of a MiB: some 800 transactions, of which usually either a few hundred are due or none. */
export const BLOCKS_PER_STEP = 32;

interface Retention {
  readonly store: Store;
  /** Undefined: transactions are kept for ever. */
  readonly days: number | undefined;
  readonly metrics: RetentionMetrics;
  readonly log: Log;
}

/**
 * Removes settled transactions older than the retention, in the background (decision 38), until the caller
 * calls the returned function, which waits for the step under way. Only one process at a time does this: the
 * row with the place of the round carries a lease.
 */
export function startRetention({ days, ...parts }: Retention): () => Promise<void> {
  if (days === undefined) return () => Promise.resolve();
  const work = createRetention({ ...parts, days });
  const { stop } = repeat({
    name: "retention",
    everyMs: INTERVAL_MS,
    work,
    failed: "old transactions are not removed yet",
    log: parts.log,
  });
  return stop;
}

/**
 * Continues the round under way, to its end if it may. It first waits for every database transaction of
 * ingest that may have read an older `forgotten_before`: such a transaction could find a row gone and still
 * take its event for new. The list of those transactions is in memory only, and a process that continues a
 * round makes its own.
 */
export function createRetention({
  store,
  days,
  metrics,
}: Omit<Retention, "days" | "log"> & { readonly days: number }): (stop: AbortSignal) => Promise<void> {
  const keeper: Keeper = { owner: randomUUID(), days };
  let noted: (Round & { readonly writers: readonly string[] }) | undefined;
  return async (stop) => {
    const round = await takeRound(store, keeper);
    if (round !== undefined) {
      if (noted?.forgottenBefore !== round.forgottenBefore) {
        noted = { ...round, writers: await findOpenWriters(store, "stampede-ingest") };
      }
      if (await areOver(store, noted.writers)) await doSteps(store, keeper, round, metrics, stop);
    }
    metrics.state(await readRetention(store));
  };
}

async function doSteps(
  store: Store,
  keeper: Keeper,
  round: Round,
  metrics: RetentionMetrics,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const startedAt = performance.now();
    const { progress, paceMs, removed } = await stepRound(store, keeper, round, BLOCKS_PER_STEP);
    const tookMs = performance.now() - startedAt;
    if (removed !== undefined) metrics.step(removed.rows);
    if (progress !== "more") return;
    await delay(restAfter(tookMs, paceMs), undefined, { signal: stop }).catch(() => {});
  }
}
