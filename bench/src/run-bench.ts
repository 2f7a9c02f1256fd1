import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Arena } from "./arena.ts";
import { measureAsync } from "./async-mode.ts";
import { drawResults } from "./draw.ts";
import { measureGrowth } from "./growth.ts";
import type { Options } from "./options.ts";
import { measureOverload } from "./overload.ts";
import { appendLine, defaultResultsDir, describeRun } from "./record.ts";
import { writeReport } from "./report.ts";
import { emptyResults, type Results } from "./results.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import { judge } from "./targets.ts";
import { measureSize } from "./throughput.ts";
import { warnAboutDurability } from "./warn-about-durability.ts";

/**
 * The whole benchmark: servers, measurement, verification, report, drawing, line.
 * @param say progress, a line each
 * @param print the report
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export async function runBench(
  options: Options,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const startedAt = new Date();
  say("starting PostgreSQL and NATS, fsync on in both");
  const arena = await Arena.open(options, say);
  const interrupted = stopOnSignal(arena, say);
  try {
    warnAboutDurability(arena.servers, say);
    const results = emptyResults();
    await measure(arena, results);
    const targets = judge(results);
    const line = describeRun(arena, results, targets, startedAt);
    print(`\n${writeReport(results, targets)}\n`);
    const dir = options.resultsDir ?? defaultResultsDir(options.mode);
    const file = appendLine(dir, line);
    const { machine, commit } = line;
    const title = `Stampede ${options.mode} benchmark, ${machine.cores} × ${machine.cpu}, ${commit.slice(0, 9)}`;
    const drawing = join(dir, `${options.mode}.svg`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(drawing, drawResults(results, title));
    say(`a line in ${file}, a drawing in ${drawing}`);
    return results.verified.faults.length === 0;
  } catch (error) {
    if (interrupted.aborted) return false; // what failed was stopped on purpose
    throw error;
  } finally {
    await arena.stop();
  }
}

async function measure(arena: Arena, results: Results): Promise<void> {
  const { mode, parts, sizes, contenders } = arena.options;
  if (mode === "growth") return measureGrowth(arena, results);
  if (parts.includes("throughput") || parts.includes("latency")) {
    for (const size of sizes) await measureSize(arena, results, size);
  }
  if (!contenders.includes("stampede")) return;
  if (parts.includes("async")) await measureAsync(arena, results);
  if (parts.includes("overload")) await measureOverload(arena, results);
}
