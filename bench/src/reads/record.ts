import { describeProcesses, describeSurroundings, describeTargets, round, sealLine } from "../record.ts";
import type { TargetResult } from "../targets.ts";
import type { ReadsArena } from "./reads-arena.ts";
import type { ReadsResults } from "./results.ts";

/** One line of JSON, in the form of the other benchmarks' lines. */
export function describeReads(
  { options, servers }: ReadsArena,
  results: ReadsResults,
  targets: readonly TargetResult[],
  startedAt: Date,
) {
  const { seed, members, transactions, seconds, repetitions } = options;
  return sealLine({
    ...describeSurroundings(options.mode, servers, startedAt),
    workload: { seed, members, transactions, seconds, repetitions },
    reads: results.measured.map((one) => ({
      route: one.route,
      contender: one.contender,
      setting: one.setting,
      requests_per_second: round(one.requestsPerSecond),
      repetitions: one.repetitions.map(round),
      p50_ms: round(one.p50),
      p99_ms: round(one.p99),
      answers: one.run.statuses,
      workload_hash: one.run.workloadHash,
      processes: describeProcesses(one.run.usage),
    })),
    targets: describeTargets(targets),
    verified: results.verified,
  });
}
