import { RETENTION_TABLES } from "../../../services/ingest/src/cleanup/remove-settled.ts";
import { restAfter } from "../../../services/ingest/src/cleanup/rest-after.ts";
import type { Benchmark } from "../kit/benchmark.ts";
import { alignTable, mib, milliseconds, thousands } from "../kit/report.ts";
import { quantile } from "../kit/timeline.ts";
import { type Ingested, measureRetention, type Pair, type RetentionResults } from "./measure-retention.ts";
import { RETENTION_OPTIONS, type RetentionOptions } from "./options.ts";

/**
 * The cost of retention for ingestion, and the duration of its steps. Ingestion is its statements alone, as
 * in the ceiling.
 */
export const BENCH_RETENTION: Benchmark<RetentionOptions, RetentionResults> = {
  arguments: RETENTION_OPTIONS,
  measure: measureRetention,
  report: ({ pairs, leftPerSecond, steps, roundSeconds, roundRows, rows, rssBytes }) => [
    alignTable([
      ["ingestion, statements alone", "events/s", "batch p50", "batch p99"],
      ["without retention", ...describe(pairs.map(({ alone }) => alone))],
      ["with retention beside it", ...describe(pairs.map(({ beside }) => beside))],
    ]),
    `beside retention ingestion does ${quantile(ratiosOf(pairs), 0.5).toFixed(2)} × of what it does alone ` +
      `(${quantile(ratiosOf(pairs), 0).toFixed(2)} to ${quantile(ratiosOf(pairs), 1).toFixed(2)} in ${pairs.length} pairs of windows), ` +
      `while ${thousands(leftPerSecond)} transactions/s leave`,
    `steps: ${thousands(steps.length)}, p50 ${milliseconds(quantile(steps, 0.5))}, p99 ${milliseconds(quantile(steps, 0.99))}, ` +
      `longest ${milliseconds(quantile(steps, 1))}`,
    `the rest of the round, without load and without rests: ${thousands(roundRows)} transactions in ${roundSeconds.toFixed(0)} s; ` +
      `with its rests the whole round takes ${pacedSeconds(steps).toFixed(0)} s`,
    `left: ${RETENTION_TABLES.map((table) => `${thousands(rows[table] ?? 0)} ${table}`).join(", ")}`,
    `memory of the process that does all this: ${mib(rssBytes)} MiB`,
  ],
  record: ({ pairs, leftPerSecond, steps, roundSeconds, roundRows, rows, rssBytes }) => ({
    events_per_second: {
      alone: pairs.map(({ alone }) => alone.eventsPerSecond),
      beside: pairs.map(({ beside }) => beside.eventsPerSecond),
    },
    beside_to_alone: { median: quantile(ratiosOf(pairs), 0.5), each: ratiosOf(pairs) },
    left_per_second: leftPerSecond,
    batch_ms: {
      alone: percentilesOf(pairs.map(({ alone }) => alone)),
      beside: percentilesOf(pairs.map(({ beside }) => beside)),
    },
    steps: {
      count: steps.length,
      p50_ms: quantile(steps, 0.5),
      p99_ms: quantile(steps, 0.99),
      max_ms: quantile(steps, 1),
    },
    round: { seconds: roundSeconds, transactions: roundRows, paced_seconds: pacedSeconds(steps) },
    rows,
    rss_bytes: rssBytes,
  }),
  verdict: ({ faults }) => ({
    faults: [...faults],
    holds: "exactly what was due has left, and what stays agrees with itself",
  }),
};

function describe(windows: readonly Ingested[]): string[] {
  const { p50, p99 } = percentilesOf(windows);
  const rates = windows.map(({ eventsPerSecond }) => eventsPerSecond);
  return [thousands(quantile(rates, 0.5)), milliseconds(p50), milliseconds(p99)];
}

function percentilesOf(windows: readonly Ingested[]): { readonly p50: number; readonly p99: number } {
  const batches = windows.flatMap((window) => window.batches);
  return { p50: quantile(batches, 0.5), p99: quantile(batches, 0.99) };
}

/** For each pair, the share of the rate alone that is left with retention. */
function ratiosOf(pairs: readonly Pair[]): number[] {
  return pairs.map(({ alone, beside }) => beside.eventsPerSecond / alone.eventsPerSecond);
}

function pacedSeconds(steps: readonly number[]): number {
  return steps.reduce((sum, tookMs) => sum + tookMs + restAfter(tookMs), 0) / 1000;
}
