import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import { stepLateRetroactive } from "./rows/late-retroactive.ts";

/** The table is nearly always empty, and then a round is one look at it. */
const INTERVAL_MS = 1_000;

/**
 * Has ingest tell the platform again of enrolments and clips that count for more purchases than was known when they were made,
 * since configuration came late: in small steps, each a database transaction, with a rest as long as the step behind it. Several
 * processes may do it at once.
 */
export function startTellingLateRetroactive(store: Store, log: Log): () => Promise<void> {
  const { stop } = repeat({
    name: "late retroactive",
    everyMs: INTERVAL_MS,
    work: async (signal) => {
      while (!signal.aborted) {
        const startedAt = performance.now();
        if (!(await store.begin(stepLateRetroactive))) return;
        await delay(performance.now() - startedAt, undefined, { signal }).catch(() => {});
      }
    },
    failed: "enrolments and clips wait to be told by configuration that came late",
    log,
  });
  return stop;
}
