import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommonOptions } from "./options.ts";
import type { TargetResult, Verdict } from "./report.ts";
import type { Servers } from "./servers.ts";
import { HTTP_ADAPTER } from "./subjects.ts";
import type { Percentiles } from "./timeline.ts";
import type { Usage } from "./usage.ts";

/** The checkout, from dist/bench/src/kit. */
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * The folders for lines and drawings: those of a clean commit go into the checkout, trials into the ignored
 * state.
 */
export function defaultResultsDir(mode: string): string {
  return join(ROOT, /-(quick|partial)$|^(quick|partial)$/.test(mode) ? ".stampede/bench" : "bench/results");
}

interface Run {
  readonly options: CommonOptions;
  readonly servers: Servers;
  readonly startedAt: Date;
  readonly own: object;
  readonly targets: readonly TargetResult[] | undefined;
  readonly verdict: Verdict;
}

/**
 * One line of JSON: time, commit, machine, durability, options and measurements, with the hash of everything
 * before it at its end.
 */
export function makeLine({ options, servers, startedAt, own, targets, verdict }: Run, round = twoDecimals) {
  const { durability } = servers;
  const line = {
    format: 1,
    mode: options.mode,
    started_at: startedAt.toISOString(),
    commit: readCommit(),
    machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memory_bytes: totalmem() },
    versions: { node: process.version, postgres: servers.postgres.version, nats: servers.nats.version },
    http_adapter: HTTP_ADAPTER,
    durability: {
      fsync: durability.fsync,
      synchronous_commit: durability.synchronousCommit,
      full_page_writes: durability.fullPageWrites,
      nats_sync_always: durability.natsSyncAlways,
      filesystem: durability.filesystem,
    },
    workload: workloadOf(options),
    ...own,
    targets: targets?.map(({ name, value = null, target, met = null }) => ({ name, value, target, met })),
    verified: { ...verdict.counts, faults: verdict.faults },
  };
  const rounded = roundAll(line, round);
  return {
    ...rounded,
    result_hash: createHash("sha256").update(JSON.stringify(rounded)).digest("hex"),
  };
}

/** The sizes of the run. */
function workloadOf(options: CommonOptions): Record<string, number> {
  const numbers = Object.entries(options).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(numbers.map(([name, value]) => [snake(name), value]));
}

/** @returns the file that the line was appended to */
export function appendLine(dir: string, line: { readonly mode: string }): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${line.mode}.jsonl`);
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  return file;
}

/** For a line's own fields. */
export function describeProcesses({ processes }: Usage) {
  return processes.map(({ name, rssBytes, cpuSeconds }) => ({
    name,
    rss_bytes: rssBytes,
    cpu_seconds: cpuSeconds,
  }));
}

/** The same. */
export function describeLatency({ p50, p90, p99, max }: Percentiles) {
  return { p50_ms: p50, p90_ms: p90, p99_ms: p99, max_ms: max };
}

/** With `+` if the checkout has more than the commit. */
function readCommit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    const isDirty = git("status", "--porcelain", "--untracked-files=no") !== "";
    return git("rev-parse", "HEAD") + (isDirty ? "+" : "");
  } catch {
    return "unknown";
  }
}

function roundAll<T>(value: T, round: (value: number) => number): T {
  const text = JSON.stringify(value, (_key, one) => (typeof one === "number" ? round(one) : one));
  return JSON.parse(text) as T;
}

function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}
