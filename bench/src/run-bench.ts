import { Arena } from "./arena.ts";
import { measureAsync } from "./async-mode.ts";
import { conduct } from "./conduct.ts";
import { drawResults } from "./draw.ts";
import { measureGrowth } from "./growth.ts";
import type { Options } from "./options.ts";
import { measureOverload } from "./overload.ts";
import { describeRun } from "./record.ts";
import { writeReport } from "./report.ts";
import { emptyResults, type Results } from "./results.ts";
import { judge } from "./targets.ts";
import { measureSize } from "./throughput.ts";

/**
 * The benchmark of ingestion.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export function runBench(
  options: Options,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const benchmark = {
    open: () => Arena.open(options, say),
    measure,
    judge,
    report: writeReport,
    describe: describeRun,
    draw: drawResults,
    isVerified: ({ verified }: Results) => verified.faults.length === 0,
  };
  return conduct(benchmark, options, { say, print });
}

async function measure(arena: Arena): Promise<Results> {
  const results = emptyResults();
  await measureInto(arena, results);
  return results;
}

async function measureInto(arena: Arena, results: Results): Promise<void> {
  const { mode, parts, sizes, contenders } = arena.options;
  if (mode === "growth") return measureGrowth(arena, results);
  if (parts.includes("throughput") || parts.includes("latency")) {
    for (const size of sizes) await measureSize(arena, results, size);
  }
  if (!contenders.includes("stampede")) return;
  if (parts.includes("async")) await measureAsync(arena, results);
  if (parts.includes("overload")) await measureOverload(arena, results);
}
