import { mib, milliseconds, targetTable, thousands } from "../report.ts";
import type { TargetResult } from "../targets.ts";
import { alignTable } from "../text-table.ts";
import type { ReadRun, ReadsMeasured, ReadsResults } from "./results.ts";

const FAULTS_SHOWN = 12;

export function writeReadsReport(results: ReadsResults, targets: readonly TargetResult[]): string {
  return `${[measuredTable(results), targetTable(targets), verificationLine(results)].join("\n\n")}\n`;
}

function measuredTable({ measured }: ReadsResults): string {
  const rows = measured.map((one) => [
    one.route,
    one.contender,
    thousands(one.requestsPerSecond),
    milliseconds(one.p50),
    milliseconds(one.p99),
    cost(one.run),
    memory(one.run),
    `${one.setting}${spread(one)}`,
  ]);
  const head = ["reads", "", "requests/s", "p50", "p99", "CPU µs/request", "memory MiB", "at"];
  return alignTable([head, ...rows]);
}

function verificationLine({ verified }: ReadsResults): string {
  const { answers, compared, faults } = verified;
  const what = `${thousands(answers)} answers, ${thousands(compared)} of them compared in full`;
  if (faults.length > 0) {
    const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `\n  ${fault}`);
    return `NOT VERIFIED, ${faults.length} faults (${what}):${shown.join("")}`;
  }
  return `verified: ${what}; statuses right, bodies as stored`;
}

/** User and system time of each process over the answers of the whole run. */
function cost({ statuses, usage }: ReadRun): string {
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  if (answers === 0) return "";
  return usage.processes
    .map(({ name, cpuSeconds }) => `${name} ${((cpuSeconds * 1e6) / answers).toFixed(1)}`)
    .join(", ");
}

function memory({ usage }: ReadRun): string {
  return usage.processes.map(({ name, rssBytes }) => `${name} ${mib(rssBytes)}`).join(", ");
}

function spread({ repetitions }: ReadsMeasured): string {
  if (repetitions.length < 2) return "";
  return ` (${thousands(Math.min(...repetitions))} to ${thousands(Math.max(...repetitions))})`;
}
