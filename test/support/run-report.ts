import { relative } from "node:path";
import { inSources } from "./source-positions.ts";
import type { FileResult } from "./tap-output.ts";

const write = (text: string): void => void process.stdout.write(`${text}\n`);

/** Writes one line for a file, and all known details of its failures. */
export function reportFile(result: FileResult, root: string): void {
  const { failures, passed, skipped, ms, cpuMs } = result;
  const name = relative(root, result.file).replace(/\.js$/, ".ts");
  const counts = [`${passed} passed`];
  if (failures.length > 0) counts.push(`${failures.length} failed`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  write(`${failures.length > 0 ? "FAIL" : "ok  "} ${name}  ${counts.join(", ")}  ${times(ms, cpuMs)}`);
  for (const failure of failures) {
    write(`\n     ${failure.name}`);
    for (const [key, value] of Object.entries(failure.details)) {
      if (HIDDEN_DETAILS.has(key) || value === undefined || value === null) continue;
      const text = typeof value === "string" ? value.trimEnd() : JSON.stringify(value);
      const detail = text.includes("\n") ? `${key}:\n${indent(text, 2)}` : `${key}: ${text}`;
      write(indent(inSources(detail, root), 7));
    }
  }
  // Long tests print their measurements there.
  const isShown = failures.length > 0 || process.env.TEST_LONG !== undefined;
  if (isShown && result.stderr.trim() !== "") {
    write(`\n     stderr:\n${indent(inSources(result.stderr.trimEnd(), root), 7)}`);
  }
  if (failures.length > 0) write("");
}

/** How many files a run names as its slowest: to make runs shorter, begin there. */
const SLOWEST = 10;

export interface Spent {
  readonly ms: number;
  /** CPU time of PostgreSQL and of NATS, which the files share. */
  readonly servers: readonly number[];
  /** The share of the machine that was idle meanwhile. */
  readonly idleShare: number;
}

const NOTHING: Spent = { ms: 0, servers: [], idleShare: 1 };

/** The end of a run; other programs read its last line. Returns the exit code. */
export function reportRun(results: readonly FileResult[], spent: Spent = NOTHING): number {
  const { ms, servers, idleShare } = spent;
  const [postgres = 0, nats = 0] = servers;
  const passed = sum(results.map((result) => result.passed));
  const failed = sum(results.map((result) => result.failures.length));
  const skipped = sum(results.map((result) => result.skipped));
  const broken = results.filter((result) => result.failures.length > 0);
  write("");
  if (results.length > SLOWEST) reportSlowest(results, ms);
  write(
    `of CPU besides: PostgreSQL ${seconds(postgres)}, NATS ${seconds(nats)}; idle: ${Math.round(100 * idleShare)} %`,
  );
  if (broken.length > 0) write(`failed: ${broken.map(({ file }) => shortName(file)).join(" ")}`);
  if (passed + failed === 0) write("no test ran");
  write(`${results.length} files, ${skipped} skipped, ${seconds(ms)}`);
  write(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

function reportSlowest(results: readonly FileResult[], ms: number): void {
  const slowest = [...results].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  const all = sum(results.map((result) => result.ms));
  const cpu = sum(results.map((result) => result.cpuMs));
  write(`the slowest, of ${times(all, cpu)} in all, ${(all / ms).toFixed(1)} files at a time:`);
  for (const result of slowest) write(`  ${shortName(result.file)}  ${times(result.ms, result.cpuMs)}`);
  write("");
}

const shortName = (file: string): string => file.replace(/^.*\/dist\//, "");

/** Details that repeat the stack. */
const HIDDEN_DETAILS = new Set(["at", "tapCaught", "test", "testFinish"]);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const times = (ms: number, cpuMs: number): string =>
  cpuMs > 0 ? `${seconds(ms)}, ${seconds(cpuMs)} of CPU` : seconds(ms);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const indent = (text: string, by: number): string => text.replace(/^/gm, " ".repeat(by));
