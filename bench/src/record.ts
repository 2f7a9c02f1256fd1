import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Arena, RunResult } from "./arena.ts";
import type { Results } from "./results.ts";
import type { Servers } from "./servers.ts";
import type { TargetResult } from "./targets.ts";
import type { Usage } from "./usage.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Where lines and drawings go: those that stand for a commit into the checkout, trials into the ignored state. */
export function defaultResultsDir(mode: string): string {
  return join(
    ROOT,
    ["canonical", "growth", "reads", "members", "rewards", "webhooks", "scaling"].includes(mode)
      ? "bench/results"
      : ".stampede/bench",
  );
}

/** One line of JSON: what was measured, on what, and how durable it was. */
export function describeRun(
  arena: Arena,
  results: Results,
  targets: readonly TargetResult[],
  startedAt: Date,
) {
  const { options, servers } = arena;
  return sealLine({
    ...describeSurroundings(options.mode, servers, startedAt),
    workload: {
      seed: options.seed,
      members: options.members,
      seconds: options.seconds,
      repetitions: options.repetitions,
    },
    throughput: results.throughput.map((one) => ({
      contender: one.contender,
      request_size: one.size,
      setting: one.setting,
      events_per_second: round(one.eventsPerSecond),
      requests_per_second: round(one.requestsPerSecond),
      repetitions: one.repetitions.map(round),
      // Less than asked for where the prepared requests ran out.
      measured_seconds: one.measured.seconds,
      p50_ms: round(one.p50),
      p99_ms: round(one.p99),
      ...(one.run && usageOf(one.run)),
    })),
    latency: results.latency.map(({ contender, size, load, requestsPerSecond, run }) => ({
      contender,
      request_size: size,
      load,
      offered_per_second: round(requestsPerSecond),
      p50_ms: round(run.measured.latency.p50),
      p90_ms: round(run.measured.latency.p90),
      p99_ms: round(run.measured.latency.p99),
      max_ms: round(run.measured.latency.max),
      answers: run.measured.statuses,
    })),
    async: results.async && {
      events_per_second: round(results.async.accepted.measured.eventsPerSecond),
      drain_seconds: round(results.async.drainSeconds),
      bounded_answers: results.async.bounded,
      ...usageOf(results.async.accepted),
    },
    overload: results.overload && {
      wanted_per_second: round(results.overload.wantedPerSecond),
      offered_per_second: round(results.overload.run.offeredPerSecond),
      answers: results.overload.run.measured.statuses,
      ...usageOf(results.overload.run),
    },
    growth: results.growth && {
      rows: results.growth.rows,
      empty_events_per_second: round(results.growth.empty.measured.eventsPerSecond),
      full_events_per_second: round(results.growth.full.measured.eventsPerSecond),
    },
    peer_cluster_events_per_second: results.peerCluster,
    targets: describeTargets(targets),
    verified: results.verified,
  });
}

/** How every line begins: when, of what commit, and on what. */
export function describeSurroundings(mode: string, servers: Servers, startedAt: Date) {
  const { durability } = servers;
  return {
    format: 1,
    mode,
    started_at: startedAt.toISOString(),
    commit: readCommit(),
    machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memory_bytes: totalmem() },
    versions: { node: process.version, postgres: servers.postgres.version, nats: servers.nats.version },
    durability: {
      fsync: durability.fsync,
      synchronous_commit: durability.synchronousCommit,
      full_page_writes: durability.fullPageWrites,
      nats_sync_always: durability.natsSyncAlways,
      filesystem: durability.filesystem,
    },
  };
}

export function describeTargets(targets: readonly TargetResult[]) {
  return targets.map(({ name, value, target, met }) => ({
    name,
    value: value === undefined ? null : round(value),
    target,
    met: met ?? null,
  }));
}

/** With the hash of all the rest at its end. */
export function sealLine<Line extends object>(line: Line): Line & { readonly result_hash: string } {
  return { ...line, result_hash: createHash("sha256").update(JSON.stringify(line)).digest("hex") };
}

/** @returns the file that the line was appended to */
export function appendLine(dir: string, line: { readonly mode: string }): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${line.mode}.jsonl`);
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  return file;
}

function usageOf({ usage, workloadHash }: RunResult) {
  return { workload_hash: workloadHash, processes: describeProcesses(usage) };
}

export function describeProcesses({ processes }: Usage) {
  return processes.map(({ name, rssBytes, cpuSeconds }) => ({
    name,
    rss_bytes: rssBytes,
    cpu_seconds: round(cpuSeconds),
  }));
}

/** With `+` when there is more in the checkout than the commit has. */
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

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
