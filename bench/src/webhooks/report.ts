import { mib, milliseconds, targetTable, thousands } from "../report.ts";
import { faultsOf } from "../rewards/results.ts";
import type { TargetResult } from "../targets.ts";
import { alignTable } from "../text-table.ts";
import type { Usage } from "../usage.ts";
import type { WebhooksResults } from "./results.ts";
import { largestBetween } from "./watch-memory.ts";

const FAULTS_SHOWN = 12;
const MEMORY_COLUMNS = 10;

export function writeWebhooksReport(results: WebhooksResults, targets: readonly TargetResult[]): string {
  const parts = [paceTable(results), hangingTable(results), memoryLine(results), latencyLine(results)];
  const shown = [...parts, targetTable(targets)].filter((part) => part !== "");
  return `${[...shown, verificationLine(results)].join("\n\n")}\n`;
}

function paceTable({ backlog, many }: WebhooksResults): string {
  const rows: string[][] = [];
  if (backlog !== undefined) {
    const { events, deliveries, seconds, perSecond, usage } = backlog;
    const size = (events / deliveries).toFixed(1);
    rows.push([
      "one webhook and its backlog",
      `${thousands(perSecond)} events/s`,
      cpuSeconds(usage),
      `${thousands(events)} events in ${thousands(deliveries)} deliveries of ${size}, ${seconds.toFixed(1)} s`,
    ]);
  }
  if (many !== undefined) {
    const pace = `${thousands(many.perSecond)} deliveries/s`;
    rows.push([`${thousands(many.webhooks)} webhooks, an event each`, pace, cpuSeconds(many.usage), ""]);
  }
  return rows.length === 0 ? "" : alignTable([["", "pace", "CPU s", ""], ...rows]);
}

function cpuSeconds({ processes }: Usage): string {
  return processes.map((one) => one.cpuSeconds.toFixed(1)).join(", ");
}

function hangingTable({ many }: WebhooksResults): string {
  if (many === undefined) return "";
  const { webhooks, without, beside, repetitions } = many.hanging;
  const row = (name: string, middle: number, all: readonly number[]) => [
    name,
    thousands(middle),
    all.map(thousands).join(", "),
  ];
  return alignTable([
    [`${thousands(many.webhooks - webhooks)} webhooks, an event each`, "deliveries/s", "repetitions"],
    row("alone", without, repetitions.without),
    row(`beside ${thousands(webhooks)} that hang`, beside, repetitions.beside),
  ]);
}

/** The most of every tenth of the work. */
function memoryLine({ backlog }: WebhooksResults): string {
  if (backlog === undefined) return "";
  const sizes = Array.from({ length: MEMORY_COLUMNS }, (_, at) =>
    largestBetween(backlog.memory, at / MEMORY_COLUMNS, (at + 1) / MEMORY_COLUMNS),
  );
  const shown = sizes.map((bytes) => (bytes === undefined ? "–" : mib(bytes))).join(", ");
  return `resident memory by tenths of the backlog, MiB: ${shown}`;
}

function latencyLine({ latency }: WebhooksResults): string {
  if (latency === undefined) return "";
  const { samples, p50, p90, p99, max } = latency;
  const shown = `p50 ${milliseconds(p50)}, p90 ${milliseconds(p90)}, p99 ${milliseconds(p99)}, max ${milliseconds(max)}`;
  return `from the commit of an event to its arrival, ${thousands(samples)} of them, unloaded: ${shown}`;
}

function verificationLine(results: WebhooksResults): string {
  const faults = faultsOf(results);
  if (faults.length > 0) {
    const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `\n  ${fault}`);
    return `NOT VERIFIED, ${faults.length} faults:${shown.join("")}`;
  }
  return "verified: every webhook got every event of its own once and in order, signed; nothing is pending, nothing failed";
}
