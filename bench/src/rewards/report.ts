import { mib, targetTable, thousands } from "../report.ts";
import type { TargetResult } from "../targets.ts";
import { alignTable } from "../text-table.ts";
import type { Usage } from "../usage.ts";
import type { Phase } from "./measure-engine.ts";
import { faultsOf, type RewardsResults } from "./results.ts";

const FAULTS_SHOWN = 12;

export function writeRewardsReport(results: RewardsResults, targets: readonly TargetResult[]): string {
  const parts = [paceTable(results), hotTable(results), pipelineTable(results), targetTable(targets)];
  return `${[...parts.filter((part) => part !== ""), verificationLine(results)].join("\n\n")}\n`;
}

function paceTable({ engine, platform }: RewardsResults): string {
  const rows: string[][] = [];
  const add = (what: string, { entries, perSecond, seconds, usage }: Phase, note = ""): void => {
    rows.push([
      what,
      thousands(perSecond),
      thousands(entries),
      seconds.toFixed(1),
      ...costs(usage, entries),
      note,
    ]);
  };
  if (engine !== undefined) {
    add("outcomes", engine.outcomes);
    add("settlements, one in ten earned", engine.mixed);
    add("settlements, all earned", engine.earned);
  }
  if (platform !== undefined) {
    const { records, payments, halves } = platform;
    const { count, perSecond, usage } = payments;
    add("records, one in ten routable", records, `${thousands(halves)} halves stored`);
    const note = `${payments.answerMs.toFixed(0)} ms a request, outcomes out ${payments.publishedSeconds.toFixed(1)} s later`;
    add("payments, all matched", { entries: count, perSecond, seconds: count / perSecond, usage }, note);
  }
  if (rows.length === 0) return "";
  return alignTable([["", "a second", "in all", "seconds", "CPU µs each", "memory MiB", ""], ...rows]);
}

/** Of the one process that was watched. */
function costs({ processes }: Usage, entries: number): [string, string] {
  const [{ cpuSeconds, rssBytes } = { cpuSeconds: 0, rssBytes: 0 }] = processes;
  return [((cpuSeconds * 1e6) / entries).toFixed(1), mib(rssBytes)];
}

function hotTable({ hot }: RewardsResults): string {
  if (hot === undefined) return "";
  const names = {
    even: "even",
    "hot-member": "half of them one member's",
    "hot-program": "one program for all",
  } as const;
  const rows = (["even", "hot-member", "hot-program"] as const).map((shape) => [
    names[shape],
    hot.seconds[shape].toFixed(2),
    hot.repetitions[shape].map((seconds) => seconds.toFixed(2)).join(", "),
  ]);
  return alignTable([["the same outcomes", "seconds", "repetitions"], ...rows]);
}

function pipelineTable({ pipeline }: RewardsResults): string {
  if (pipeline === undefined) return "";
  const { runs, without, beside, behindSeconds, matchedShare } = pipeline;
  const row = (name: string, run: (typeof runs)["without"], repetitions: readonly number[]) => [
    name,
    thousands(run.measured.eventsPerSecond),
    run.usage.processes.map((one) => `${one.name} ${one.cpuSeconds.toFixed(1)}`).join(", "),
    run.usage.processes.map((one) => `${one.name} ${mib(one.rssBytes)}`).join(", "),
    repetitions.map(thousands).join(", "),
  ];
  const table = alignTable([
    ["ingest, requests of 500", "events/s", "CPU s", "memory MiB", "repetitions"],
    row("alone", runs.without, without),
    row("with platform and rewards", runs.beside, beside),
  ]);
  const share = (100 * matchedShare).toFixed(1);
  return `${table}\n${share} % of the transactions matched; platform and rewards were done ${behindSeconds.toFixed(1)} s after the load`;
}

function verificationLine(results: RewardsResults): string {
  const faults = faultsOf(results);
  if (faults.length > 0) {
    const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `\n  ${fault}`);
    return `NOT VERIFIED, ${faults.length} faults:${shown.join("")}`;
  }
  const parts = Object.entries(results).filter(([, measured]) => measured !== undefined);
  const names = parts.map(([part]) => part).join(", ");
  return `verified (${names}): stamps, redemptions, cashbacks, events, pairs and outcomes are as many as must come of what was sent`;
}
