import { conduct } from "../conduct.ts";
import { drawReads } from "./draw.ts";
import { measureRoute } from "./measure-route.ts";
import type { ReadsOptions } from "./options.ts";
import { ReadsArena } from "./reads-arena.ts";
import { describeReads } from "./record.ts";
import { writeReadsReport } from "./report.ts";
import type { ReadsResults } from "./results.ts";
import { judgeReads } from "./targets.ts";

/**
 * The benchmark of reads.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export function benchReads(
  options: ReadsOptions,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const benchmark = {
    open: () => ReadsArena.open(options, say),
    async measure(arena: ReadsArena): Promise<ReadsResults> {
      const results: ReadsResults = { measured: [], verified: { answers: 0, compared: 0, faults: [] } };
      for (const route of options.routes) await measureRoute(arena, results, route);
      return results;
    },
    judge: judgeReads,
    report: writeReadsReport,
    describe: describeReads,
    draw: drawReads,
    isVerified: ({ verified }: ReadsResults) => verified.faults.length === 0,
  };
  return conduct(benchmark, options, { say, print });
}
