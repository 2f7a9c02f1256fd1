import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Chart, drawCharts } from "./chart.ts";
import type { CommonOptions, OptionReader } from "./options.ts";
import { appendLine, defaultResultsDir, makeLine } from "./record.ts";
import { joinParts, type TargetResult, targetTable, type Verdict, verdictLine } from "./report.ts";
import { type Servers, startServers } from "./servers.ts";

/** The context of a benchmark: running servers, the options, and a function for progress lines. */
export interface Setting<Options> {
  readonly servers: Servers;
  readonly options: Options;
  readonly say: (text: string) => void;
}

/** The parts that a benchmark defines; `runBenchmark` does the rest. */
export interface Benchmark<Options extends CommonOptions, Results> {
  readonly arguments: OptionReader<Options>;
  measure(setting: Setting<Options>): Promise<Results>;
  /** Undefined: nothing is measured against a target. */
  judge?(results: Results): readonly TargetResult[];
  /** Tables and lines of the report, without targets and verdict; empty ones are left out. */
  report(results: Results): readonly string[];
  /** The benchmark's own fields of its line in the record; numbers are rounded later. */
  record(results: Results, options: Options): object;
  verdict(results: Results, options: Options): Verdict;
  /** How to round numbers of the record; two decimals by default. */
  round?(value: number): number;
  /** The charts over time. */
  draw?(results: Results): readonly Chart[];
  /** Another job than measuring, if the options ask for it; true: it was done. */
  instead?(options: Options, say: (text: string) => void): boolean;
}

/** Where to write the progress (a line each) and the report. */
interface Output {
  readonly say: (text: string) => void;
  readonly print: (text: string) => void;
}

/**
 * The whole of a benchmark: servers, measurement, verification, report, line, drawing.
 * @returns whether everything was verified; missed targets are in the report and are no failure
 */
export async function runBenchmark<Options extends CommonOptions, Results>(
  benchmark: Benchmark<Options, Results>,
  options: Options,
  { say, print }: Output,
): Promise<boolean> {
  if (benchmark.instead?.(options, say)) return true;
  const startedAt = new Date();
  say("starting PostgreSQL and NATS, fsync on in both");
  const servers = await startServers(options.dir, options.profileDir);
  const interrupted = stopOnSignal(servers, say);
  try {
    warnAboutDurability(servers, say);
    const results = await benchmark.measure({ servers, options, say });
    const targets = benchmark.judge?.(results);
    const verdict = benchmark.verdict(results, options);
    const shown = [...benchmark.report(results), targets ? targetTable(targets) : "", verdictLine(verdict)];
    print(`\n${joinParts(shown)}\n\n`);
    const own = benchmark.record(results, options);
    const line = makeLine({ options, servers, startedAt, own, targets, verdict }, benchmark.round);
    const { mode } = options;
    const dir = options.resultsDir ?? defaultResultsDir(mode);
    const file = appendLine(dir, line);
    const { machine, commit } = line;
    const title = `Stampede ${mode} benchmark, ${machine.cores} × ${machine.cpu}, ${commit.slice(0, 9)}`;
    const charts = benchmark.draw?.(results);
    const drawn = join(dir, `${mode}.svg`);
    if (charts !== undefined) writeFileSync(drawn, drawCharts(charts, title));
    say(`a line in ${file}${charts === undefined ? "" : `, a drawing in ${drawn}`}`);
    return verdict.isFailure === undefined ? verdict.faults.length === 0 : !verdict.isFailure;
  } catch (error) {
    if (interrupted.aborted) return false; // what failed was stopped on purpose
    throw error;
  } finally {
    await servers.stop();
  }
}

const INTERRUPTED = 130;

/** Ctrl-C leaves neither servers nor their data behind. The signal shows that later failures are intended. */
function stopOnSignal(servers: Servers, say: (text: string) => void): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      say("interrupted: stopping the servers, removing their data");
      interrupt.abort();
      void servers.stop().finally(() => process.exit(INTERRUPTED));
    });
  }
  return interrupt.signal;
}

/** Figures of servers that lose acknowledged data mean nothing. */
function warnAboutDurability({ durability }: Servers, say: (text: string) => void): void {
  const { fsync, synchronousCommit, natsSyncAlways, filesystem } = durability;
  const isDurable = fsync === "on" && synchronousCommit === "on" && natsSyncAlways && filesystem !== "tmpfs";
  if (isDurable) return;
  say(
    `NOT DURABLE, the numbers do not count: fsync ${fsync}, synchronous_commit ${synchronousCommit}, ` +
      `NATS sync always ${natsSyncAlways}, on ${filesystem} (see --dir)`,
  );
}
