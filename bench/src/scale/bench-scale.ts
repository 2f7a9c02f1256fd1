import type { Benchmark } from "../kit/benchmark.ts";
import { alignTable, milliseconds, thousands } from "../kit/report.ts";
import { quantile } from "../kit/timeline.ts";
import { measureScale, type ScaleResults } from "./measure-scale.ts";
import { SCALE_OPTIONS, type ScaleOptions } from "./options.ts";

/**
 * The costs that grow with the stored data: bytes at rest, reads, the write-ahead log of an event, the
 * deletion of a memberbase, `verify`.
 */
export const BENCH_SCALE: Benchmark<ScaleOptions, ScaleResults> = {
  arguments: SCALE_OPTIONS,
  measure: measureScale,
  report: ({ rows, bytes, reads, written, deletion, verify }) => [
    `stored: ${Object.entries(rows)
      .map(([table, count]) => `${thousands(count)} ${table}`)
      .join(", ")}`,
    alignTable([
      ["bytes a row", ""],
      ...Object.entries(bytes).map(([name, each]) => [name, each.toFixed(0)]),
    ]),
    alignTable([
      ["reads", "cold p50", "cold p99", "warm p50", "warm p99"],
      ...reads.map(({ name, cold, warm }) => [
        name,
        ...[cold, warm].flatMap((all) => [0.5, 0.99].map((share) => milliseconds(quantile(all, share)))),
      ]),
    ]),
    alignTable([
      ["write-ahead log, from a checkpoint on", "bytes an event"],
      ...written.map(({ how, bytesAnEvent }) => [how, thousands(bytesAnEvent)]),
    ]),
    `deleting a memberbase: ${thousands(deletion.membersASecond)} members/s with rests, ${thousands(deletion.walBytesAMember)} bytes of WAL a member; ` +
      `a batch of ingestion takes ${milliseconds(quantile(deletion.alone, 0.5))} alone and ${milliseconds(quantile(deletion.beside, 0.5))} beside it (p50)`,
    `verify: ${verify.seconds.toFixed(0)} s, ${thousands(verify.tempBytes)} bytes of temporary files`,
  ],
  record: ({ rows, bytes, reads, written, deletion, verify }) => ({
    rows,
    bytes_a_row: bytes,
    reads: reads.map(({ name, cold, warm }) => ({
      name,
      cold: percentilesOf(cold),
      warm: percentilesOf(warm),
    })),
    wal_bytes_an_event: Object.fromEntries(written.map(({ how, bytesAnEvent }) => [how, bytesAnEvent])),
    deletion: {
      members_a_second: deletion.membersASecond,
      wal_bytes_a_member: deletion.walBytesAMember,
      batch_ms: { alone: percentilesOf(deletion.alone), beside: percentilesOf(deletion.beside) },
    },
    verify: { seconds: verify.seconds, temp_bytes: verify.tempBytes },
  }),
  verdict: ({ faults }) => ({
    faults: [...faults],
    holds: "no deleted member shows, and the stored rows agree with each other",
  }),
};

function percentilesOf(values: readonly number[]) {
  return { p50_ms: quantile(values, 0.5), p99_ms: quantile(values, 0.99), max_ms: quantile(values, 1) };
}
