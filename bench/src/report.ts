import type { RunResult } from "./arena.ts";
import type { Results, Throughput } from "./results.ts";
import type { TargetResult } from "./targets.ts";
import { alignTable } from "./text-table.ts";

const FAULTS_SHOWN = 12;

/** The whole report as text: what was measured, the ratios, the verification. */
export function writeReport(results: Results, targets: readonly TargetResult[]): string {
  const parts = [throughputTable(results), latencyTable(results), otherLines(results), targetTable(targets)];
  return `${[...parts.filter((part) => part !== ""), verificationLine(results)].join("\n\n")}\n`;
}

function throughputTable(results: Results): string {
  if (results.throughput.length === 0) return "";
  const rows = results.throughput.map((one) => [
    String(one.size),
    one.contender,
    thousands(one.eventsPerSecond),
    one.contender === "ceiling" ? "" : thousands(one.requestsPerSecond),
    milliseconds(one.p50),
    milliseconds(one.p99),
    one.run === undefined ? "" : cost(one.run),
    one.run === undefined ? "" : memory(one.run),
    `${one.setting}${spread(one)}`,
  ]);
  const head = [
    "requests of",
    "",
    "events/s",
    "requests/s",
    "p50",
    "p99",
    "CPU µs/event",
    "memory MiB",
    "at",
  ];
  return alignTable([head, ...rows]);
}

function latencyTable(results: Results): string {
  if (results.latency.length === 0) return "";
  const rows = results.latency.map(({ contender, size, load, requestsPerSecond, run }) => {
    const { latency } = run.measured;
    const offered = thousands(requestsPerSecond);
    const percentiles = [latency.p50, latency.p90, latency.p99, latency.max].map(milliseconds);
    return [String(size), contender, offered, ...percentiles, statuses(run.measured.statuses), load];
  });
  const head = ["requests of", "open loop", "offered/s", "p50", "p90", "p99", "max", "answers", "load"];
  return alignTable([head, ...rows]);
}

function otherLines({ async, overload, growth, peerCluster }: Results): string {
  const lines: string[] = [];
  if (async !== undefined) {
    const { measured, usage } = async.accepted;
    const memory = usage.processes.map(({ name, rssBytes }) => `${name} ${mib(rssBytes)}`).join(", ");
    lines.push(
      `202 mode: ${thousands(measured.eventsPerSecond)} events/s accepted, the backlog stored ` +
        `${async.drainSeconds.toFixed(1)} s later (memory MiB: ${memory}); ` +
        `with small streams the answers were ${statuses(async.bounded)}`,
    );
  }
  if (overload !== undefined) {
    const { run, wantedPerSecond } = overload;
    lines.push(
      `overload: ${thousands(run.offeredPerSecond)} of ${thousands(wantedPerSecond)} requests/s offered, ` +
        `answers ${statuses(run.measured.statuses)}, ` +
        `memory MiB: ${memory(run)}`,
    );
  }
  if (growth !== undefined) {
    const [empty, full] = [growth.empty, growth.full].map(({ measured }) =>
      thousands(measured.eventsPerSecond),
    );
    lines.push(`${thousands(growth.rows)} rows: ${full} events/s, empty table: ${empty} events/s`);
  }
  for (const [size, events] of Object.entries(peerCluster)) {
    lines.push(`peer as a cluster of two, requests of ${size}: ${thousands(events)} events/s`);
  }
  return lines.join("\n");
}

export function targetTable(targets: readonly TargetResult[]): string {
  const measured = targets.filter(({ value }) => value !== undefined);
  const rows = measured.map(({ name, value, bound, target, unit, met }) => {
    const shown = value === undefined ? "not measured" : `${value.toFixed(unit === "×" ? 2 : 0)} ${unit}`;
    const verdict = met === undefined ? "" : met ? "met" : "MISSED";
    return [name, shown, `${bound} ${target} ${unit}`, verdict];
  });
  const table = alignTable([["target", "this run", "wanted", ""], ...rows]);
  const open = targets.length - measured.length;
  return open === 0 ? table : `${table}\n${open} of ${targets.length} targets not measured in this run`;
}

function verificationLine({ verified }: Results): string {
  const { databases, transactions, events, faults } = verified;
  const what = `${thousands(events)} accepted events, ${thousands(transactions)} transactions in ${databases} databases`;
  if (faults.length > 0) {
    const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `\n  ${fault}`);
    return `NOT VERIFIED, ${faults.length} faults (${what}):${shown.join("")}`;
  }
  return `verified: ${what}; each stored once, states and amounts right, nothing else`;
}

/** Lowest and highest repetition, when there are several: how far the machine can be believed. */
function spread({ repetitions }: Throughput): string {
  if (repetitions.length < 2) return "";
  return ` (${thousands(Math.min(...repetitions))} to ${thousands(Math.max(...repetitions))})`;
}

function cost({ measured, usage }: RunResult): string {
  const events = measured.processed.accepted;
  if (events === 0) return "";
  return usage.processes
    .map(({ name, cpuSeconds }) => `${name} ${((cpuSeconds * 1e6) / events).toFixed(1)}`)
    .join(", ");
}

function memory({ usage }: RunResult): string {
  return usage.processes.map(({ name, rssBytes }) => `${name} ${mib(rssBytes)}`).join(", ");
}

export function mib(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(0);
}

export function statuses(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${thousands(count)} × ${status}`)
    .join(", ");
}

export function thousands(value: number): string {
  const digits = String(Math.round(value));
  return digits.replace(/\B(?=(\d{3})+$)/g, " ");
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}
