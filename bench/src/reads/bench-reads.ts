import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendLine, defaultResultsDir } from "../record.ts";
import { stopOnSignal } from "../stop-on-signal.ts";
import { warnAboutDurability } from "../warn-about-durability.ts";
import { drawReads } from "./draw.ts";
import { measureRoute } from "./measure-route.ts";
import type { ReadsOptions } from "./options.ts";
import { ReadsArena } from "./reads-arena.ts";
import { describeReads } from "./record.ts";
import { writeReadsReport } from "./report.ts";
import type { ReadsResults } from "./results.ts";
import { judgeReads } from "./targets.ts";

/**
 * The benchmark of reads: servers, records, measurement, verification, report, drawing, line.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export async function benchReads(
  options: ReadsOptions,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const startedAt = new Date();
  say("starting PostgreSQL and NATS, fsync on in both");
  const arena = await ReadsArena.open(options, say);
  const interrupted = stopOnSignal(arena, say);
  try {
    warnAboutDurability(arena.servers, say);
    const results: ReadsResults = { measured: [], verified: { answers: 0, compared: 0, faults: [] } };
    for (const route of options.routes) await measureRoute(arena, results, route);
    const targets = judgeReads(results);
    const line = describeReads(arena, results, targets, startedAt);
    print(`\n${writeReadsReport(results, targets)}\n`);
    const dir = options.resultsDir ?? defaultResultsDir(options.mode);
    const file = appendLine(dir, line);
    const { machine, commit } = line;
    const title = `Stampede ${options.mode} benchmark, ${machine.cores} × ${machine.cpu}, ${commit.slice(0, 9)}`;
    const drawing = join(dir, `${options.mode}.svg`);
    writeFileSync(drawing, drawReads(results, title));
    say(`a line in ${file}, a drawing in ${drawing}`);
    return results.verified.faults.length === 0;
  } catch (error) {
    if (interrupted.aborted) return false; // what failed was stopped on purpose
    throw error;
  } finally {
    await arena.stop();
  }
}
