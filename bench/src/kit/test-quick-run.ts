import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { type Benchmark, runBenchmark } from "./benchmark.ts";
import type { CommonOptions } from "./options.ts";

/**
 * Runs a benchmark with `--quick` and further arguments, and checks the common fields of its line in the
 * record.
 * @returns its output, whether it was verified, and its files
 */
export async function quickRun<Options extends CommonOptions, Results>(
  t: Test,
  benchmark: Benchmark<Options, Results>,
  ...args: readonly string[]
) {
  const dir = mkdtempSync(join(tmpdir(), "stampede-bench-results-"));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  const options = benchmark.arguments.read(["--quick", "--results", dir, ...args]);
  if (options === "help") throw new Error("no options");
  let report = "";
  const print = (text: string): void => {
    report += text;
  };
  const isVerified = await runBenchmark(benchmark, options, { say: () => {}, print });
  const lines = readFileSync(join(dir, `${options.mode}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  t.equal(lines.length, 1);
  const line = JSON.parse(lines[0] as string);
  t.match(line, {
    format: 1,
    mode: options.mode,
    durability: { fsync: "on", synchronous_commit: "on", nats_sync_always: true },
    result_hash: /^[0-9a-f]{64}$/,
  });
  return { report, isVerified, line, options, dir };
}

/** The drawing next to the line is complete. */
export function drawingIsWhole(t: Test, dir: string, mode: string): void {
  const drawing = readFileSync(join(dir, `${mode}.svg`), "utf8");
  t.match(drawing, /^<svg [\s\S]*<\/svg>\n$/);
  t.notMatch(drawing, /NaN|undefined|Infinity/);
}
