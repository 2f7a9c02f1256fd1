import { Arena } from "../arena.ts";
import { conduct } from "../conduct.ts";
import type { TargetResult } from "../targets.ts";
import { measureEngine } from "./measure-engine.ts";
import { measureHot } from "./measure-hot.ts";
import { measurePipeline } from "./measure-pipeline.ts";
import { measurePlatform } from "./measure-platform.ts";
import type { RewardsOptions } from "./options.ts";
import { describeRewards } from "./record.ts";
import { writeRewardsReport } from "./report.ts";
import { faultsOf, type RewardsResults } from "./results.ts";
import { judgeRewards } from "./targets.ts";

/**
 * The benchmark of the platform and of the reward engine, each from a full stream, and of ingest beside them.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export function benchRewards(
  options: RewardsOptions,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const benchmark = {
    open: () => openArena(options, say),
    measure: (arena: Arena) => measure(arena, options),
    judge: judgeRewards,
    report: writeRewardsReport,
    describe: (arena: Arena, ...rest: Measured) => describeRewards(options, arena, ...rest),
    isVerified: (results: RewardsResults) => faultsOf(results).length === 0,
  };
  return conduct(benchmark, options, { say, print });
}

type Measured = [results: RewardsResults, targets: readonly TargetResult[], startedAt: Date];

/** Of the benchmark of ingestion, whose load the pipeline gets. */
function openArena(options: RewardsOptions, say: (text: string) => void): Promise<Arena> {
  const { seed, members, seconds, warmUpSeconds, repetitions, abundance, profileDir, resultsDir, dir } =
    options;
  return Arena.open(
    {
      ...{
        mode: "partial",
        seed,
        members,
        seconds,
        warmUpSeconds,
        repetitions,
        abundance,
        profileDir,
        resultsDir,
        dir,
      },
      ...{ contenders: ["stampede"], sizes: [500], parts: ["throughput"], probeSeconds: 0, rows: 0 },
    },
    say,
  );
}

async function measure(arena: Arena, options: RewardsOptions): Promise<RewardsResults> {
  const { parts } = options;
  return {
    engine: parts.includes("engine") ? await measureEngine(arena, options) : undefined,
    hot: parts.includes("hot") ? await measureHot(arena, options) : undefined,
    platform: parts.includes("platform") ? await measurePlatform(arena, options) : undefined,
    pipeline: parts.includes("pipeline") ? await measurePipeline(arena, options) : undefined,
  };
}
