import { Arena } from "../arena.ts";
import { conduct } from "../conduct.ts";
import { measureCosts } from "./measure-costs.ts";
import type { ScalingOptions } from "./options.ts";
import { describeScaling } from "./record.ts";
import { writeScalingReport } from "./report.ts";
import { faultsOf, RATES, resultsOf, type ScalingResults } from "./results.ts";
import { newestRecord, SCALING_DOC, writeScalingDoc } from "./scaling-doc.ts";

/**
 * The costs of every hop, measured; what they predict for this machine, held to what it did; what larger rates take.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified and, unless it is the quick one, every prediction near enough
 */
export async function benchScaling(
  options: ScalingOptions,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  if (options.docOnly) {
    writeScalingDoc(newestRecord());
    say(`${SCALING_DOC} has the numbers of the newest record`);
    return true;
  }
  // A second or less of a machine that runs tests beside it says nothing about its speed.
  const isJudged = options.mode !== "scaling-quick";
  const benchmark = {
    open: () => openArena(options, say),
    measure: async (arena: Arena) =>
      resultsOf(await measureCosts(arena, options), options.fewer ? RATES.slice(0, 1) : RATES),
    judge: () => [],
    report: writeScalingReport,
    describe: (arena: Arena, results: ScalingResults, _targets: unknown, startedAt: Date) =>
      describeScaling(options, arena, results, startedAt),
    isVerified: (results: ScalingResults) => faultsOf(results, isJudged).length === 0,
  };
  return conduct(benchmark, options, { say, print });
}

/** Of the benchmark of ingestion, whose load it is. */
function openArena(options: ScalingOptions, say: (text: string) => void): Promise<Arena> {
  const { seed, members, seconds, warmUpSeconds, abundance, resultsDir, dir } = options;
  return Arena.open(
    {
      ...{
        mode: "partial",
        seed,
        members,
        seconds,
        warmUpSeconds,
        abundance,
        resultsDir,
        dir,
        profileDir: undefined,
      },
      ...{
        contenders: ["stampede"],
        sizes: [500],
        parts: ["throughput"],
        repetitions: 1,
        probeSeconds: 0,
        rows: 0,
      },
    },
    say,
  );
}
