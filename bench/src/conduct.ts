import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendLine, defaultResultsDir, type describeSurroundings } from "./record.ts";
import type { Servers } from "./servers.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import type { TargetResult } from "./targets.ts";
import { warnAboutDurability } from "./warn-about-durability.ts";

/** Servers that run, and whatever is measured against them. */
interface Arena {
  readonly servers: Servers;
  stop(): Promise<void>;
}

/** What one benchmark does of its own. */
export interface Benchmark<A extends Arena, Results> {
  open(): Promise<A>;
  measure(arena: A): Promise<Results>;
  judge(results: Results): readonly TargetResult[];
  report(results: Results, targets: readonly TargetResult[]): string;
  /** The line of the record. */
  describe(
    arena: A,
    results: Results,
    targets: readonly TargetResult[],
    startedAt: Date,
  ): ReturnType<typeof describeSurroundings>;
  /** An SVG; a benchmark without one has nothing that goes over time. */
  draw?(results: Results, title: string): string;
  isVerified(results: Results): boolean;
}

/** Where the progress (a line each) and the report go. */
export interface Output {
  readonly say: (text: string) => void;
  readonly print: (text: string) => void;
}

/**
 * The whole of a benchmark: servers, measurement, verification, report, line, drawing.
 * @returns whether everything was verified; missed targets are in the report and no failure
 */
export async function conduct<A extends Arena, Results>(
  benchmark: Benchmark<A, Results>,
  { mode, resultsDir }: { readonly mode: string; readonly resultsDir: string | undefined },
  { say, print }: Output,
): Promise<boolean> {
  const startedAt = new Date();
  say("starting PostgreSQL and NATS, fsync on in both");
  const arena = await benchmark.open();
  const interrupted = stopOnSignal(arena, say);
  try {
    warnAboutDurability(arena.servers, say);
    const results = await benchmark.measure(arena);
    const targets = benchmark.judge(results);
    print(`\n${benchmark.report(results, targets)}\n`);
    const line = benchmark.describe(arena, results, targets, startedAt);
    const dir = resultsDir ?? defaultResultsDir(mode);
    const file = appendLine(dir, line);
    const { machine, commit } = line;
    const title = `Stampede ${mode} benchmark, ${machine.cores} × ${machine.cpu}, ${commit.slice(0, 9)}`;
    const drawing = benchmark.draw?.(results, title);
    const drawn = join(dir, `${mode}.svg`);
    if (drawing !== undefined) writeFileSync(drawn, drawing);
    say(`a line in ${file}${drawing === undefined ? "" : `, a drawing in ${drawn}`}`);
    return benchmark.isVerified(results);
  } catch (error) {
    if (interrupted.aborted) return false; // what failed was stopped on purpose
    throw error;
  } finally {
    await arena.stop();
  }
}
